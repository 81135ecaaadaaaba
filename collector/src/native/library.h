/* What the rest of this folder asks about the inside of the MPI library that this collector is for. */
#ifndef HOPSCOPE_NATIVE_LIBRARY_H
#define HOPSCOPE_NATIVE_LIBRARY_H

#include <mpi.h>

/* LIBRARY_ANSWERS_INSIDE: PMPI functions may be called where it sends and receives. MPICH holds its lock there, which
 * is not recursive: with MPI_THREAD_MULTIPLE it aborts. */

#ifdef OPEN_MPI
#include "native/openmpi.h"
#define library_is_nonblocking openmpi_is_nonblocking
#define library_next_tag openmpi_next_tag
#define library_local_comm openmpi_local_comm
enum { LIBRARY_ANSWERS_INSIDE = 1 };
#else
#include "native/mpich.h"
#define library_is_nonblocking mpich_is_nonblocking
/* Not known: its nonblocking collectives are not looked at. */
static inline int library_next_tag(MPI_Comm comm) {
    (void)comm;
    return 0;
}
static inline MPI_Comm library_local_comm(MPI_Comm inter) {
    (void)inter;
    return MPI_COMM_NULL;
}
enum { LIBRARY_ANSWERS_INSIDE = 0 };
#endif

#endif
