/* The MPI library's own Fortran bindings, which turn a Fortran call into a C call.
 *
 * Only they know how their compiler passes LOGICAL and CHARACTER, and which addresses stand for MPI_IN_PLACE,
 * MPI_BOTTOM and MPI_STATUS_IGNORE. So every Fortran call goes through them and is recorded in the C wrapper that they
 * call. Some call MPI_Bcast, which the loader resolves to our wrapper. Others call PMPI_Bcast and bypass it:
 *
 *             mpif.h, use mpi           use mpi_f08
 *   Open MPI  PMPI_                     PMPI_
 *   MPICH     MPI_                      MPI_ where there is a buffer, else PMPI_
 *
 * So the collector redirects their references to PMPI_ to our wrappers. One Fortran call makes one C call of a wrapped
 * function, so it is recorded once on either path. */
#ifndef HOPSCOPE_BINDINGS_H
#define HOPSCOPE_BINDINGS_H

/* Redirects the bindings loaded so far to the wrappers. It may be called again. */
void bindings_redirect(void);

/* A function that the bindings define. NULL if no loaded binding does. */
void *bindings_find(const char *symbol);

#endif
