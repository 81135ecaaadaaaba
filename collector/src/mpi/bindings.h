/* The MPI library's own Fortran bindings, which turn a Fortran call into a C call.
 *
 * Only the bindings know how their compiler passes LOGICAL and CHARACTER, and which addresses stand for MPI_IN_PLACE,
 * MPI_BOTTOM and MPI_STATUS_IGNORE. So every Fortran call goes through a binding, and is recorded in the C wrapper that
 * the binding calls. Some bindings call MPI_Bcast, which the loader resolves to our wrapper. Others call PMPI_Bcast and
 * would bypass our wrapper:
 *
 *             mpif.h, use mpi           use mpi_f08
 *   Open MPI  PMPI_                     PMPI_
 *   MPICH     MPI_                      MPI_ where there is a buffer, else PMPI_
 *
 * So the collector redirects the bindings' references to PMPI_ functions to our wrappers. Every Fortran call then leads
 * to exactly one call of a wrapper, and is recorded once. */
#ifndef HOPSCOPE_BINDINGS_H
#define HOPSCOPE_BINDINGS_H

/* Redirects the bindings that are loaded so far to the wrappers. Call it again when more may be loaded. */
void bindings_redirect(void);

/* Finds a function that a binding defines. NULL if no loaded binding defines it. */
void *bindings_find(const char *symbol);

#endif
