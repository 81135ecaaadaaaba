/* The MPI library's own Fortran bindings, which turn a Fortran call into a C call.
 *
 * They alone know how their compiler passes LOGICAL and CHARACTER, and which addresses stand for MPI_IN_PLACE,
 * MPI_BOTTOM and MPI_STATUS_IGNORE, so every Fortran call goes through them and is recorded where it comes out again:
 * in the C wrapper. Some of them call MPI_Bcast, which the loader leads to us anyhow, others PMPI_Bcast, past us:
 *
 *             mpif.h, use mpi           use mpi_f08
 *   Open MPI  PMPI_                     PMPI_
 *   MPICH     MPI_                      MPI_ where there is a buffer, else PMPI_
 *
 * The references of these libraries to PMPI_ are therefore pointed at our wrappers. One Fortran call makes one C call
 * of a wrapped function, so it is recorded once whichever way it comes.
 */
#ifndef HOPSCOPE_BINDINGS_H
#define HOPSCOPE_BINDINGS_H

/* Points the bindings that are loaded by now at the wrappers. May be repeated. */
void bindings_redirect(void);

/* A function that the bindings define; NULL if none of those loaded does. */
void *bindings_find(const char *symbol);

#endif
