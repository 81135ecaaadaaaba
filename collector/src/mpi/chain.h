/* Shares MPI calls with other tools that define MPI functions.
 *
 * The program calls the first definition of MPI_X in the loader's order. Without chaining, only one tool sees the call:
 * a tool before us calls PMPI_X and bypasses us, and we call PMPI_X and bypass a tool after us. With HOPSCOPE_CHAIN=1
 * all tools see each call: a tool before us gets our MPI_X for its PMPI_X, and we call the next tool's MPI_X. The last
 * tool in the chain calls the MPI library. */
#ifndef HOPSCOPE_CHAIN_H
#define HOPSCOPE_CHAIN_H

#include <stdbool.h>

/* True if HOPSCOPE_CHAIN is set. */
bool chain_wanted(void);

/* Our own definition of an MPI function, even if other tools define it too. NULL if we have none. */
void *chain_wrapper(const char *name);

/* The definition of a function that comes after ours in the loader's order. NULL if only the library's PMPI function
 * remains. */
void *chain_next(const char *name);

#endif
