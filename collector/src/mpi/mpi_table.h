/* The MPI library below us. The preload is not linked against it (it would pull a second one into processes that
 * bring their own), so functions and predefined handles are looked up when MPI_Init is entered.
 *
 * Include this instead of <mpi.h> in everything that is part of the preload: call pmpi.Send(...), never PMPI_Send(...).
 * Under Open MPI predefined handles are addresses of the library's data; here they become entries of a table.
 */
#ifndef HOPSCOPE_MPI_TABLE_H
#define HOPSCOPE_MPI_TABLE_H

#include <mpi.h>
#include <stdbool.h>
/* Its owner (src/mpi) fills in: one list of functions X(Name) -> struct pmpi_table { __typeof__(PMPI_Name) *Name; } pmpi;
 * the redirection of OMPI_PREDEFINED_GLOBAL; bool mpi_table_resolve(char *message, size_t capacity). */
#endif
