/* Shares MPI calls with other tools that define MPI functions.
 *
 * The program calls the first definition in the loader's order. A tool after us is never called, because we call
 * PMPI_X. A tool before us calls PMPI_X and bypasses us. With HOPSCOPE_CHAIN=1 both see each call: we call the next
 * definition of MPI_X, and a tool before us that refers to PMPI_X gets our MPI_X. The last tool in the chain calls the
 * MPI library. */
#ifndef HOPSCOPE_CHAIN_H
#define HOPSCOPE_CHAIN_H

#include <stdbool.h>

/* True if HOPSCOPE_CHAIN is set. */
bool chain_wanted(void);

/* Our own definition of an MPI function, even if others define it too. NULL if we have none. */
void *chain_wrapper(const char *name);

/* The next definition, after ours, of a function that we define. NULL if only the library's PMPI function remains. */
void *chain_next(const char *name);

#endif
