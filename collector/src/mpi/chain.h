/* Shares MPI calls with other tools that define MPI functions.
 *
 * The program calls the first definition of MPI_X in the loader's order. Without chaining, only one tool sees the call:
 * a tool before us calls PMPI_X and bypasses us, and we call PMPI_X and bypass a tool after us. With chaining all tools
 * see each call: a tool before us gets our MPI_X for its PMPI_X, and we call the next tool's MPI_X. The last tool in
 * the chain calls the MPI library. A function that no other tool defines takes the same way as without chaining. */
#ifndef HOPSCOPE_CHAIN_H
#define HOPSCOPE_CHAIN_H

#include <stdbool.h>

/* False if HOPSCOPE_CHAIN is 0. */
bool chain_wanted(void);

/* Our own definition of an MPI function, even if other tools define it too. NULL if we have none. */
void *chain_wrapper(const char *name);

/* Another tool's definition of a function, after ours in the loader's order. library_function: the PMPI function. NULL
 * if only the library's definition comes after ours. */
void *chain_later(const char *name, const void *library_function);

/* chain_later, if chaining is wanted; else NULL. */
void *chain_next(const char *name, const void *library_function);

/* True if a tool before us passes calls of MPI_X on to us. definition: the tool's MPI_X. */
bool chain_catches(const void *definition);

#endif
