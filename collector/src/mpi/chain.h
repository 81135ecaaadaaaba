/* Beside other tools that define MPI functions to see the calls.
 *
 * The program calls the first definition in the loader's order. A tool behind us is never called, because we call
 * PMPI_X; a tool before us calls PMPI_X past us. With HOPSCOPE_CHAIN=1 both see each call: we call the next definition
 * of MPI_X, and those before us that define MPI_X find us where they call PMPI_X. In the end somebody calls the MPI
 * library's.
 */
#ifndef HOPSCOPE_CHAIN_H
#define HOPSCOPE_CHAIN_H

#include <stdbool.h>

/* Is it asked for? */
bool chain_wanted(void);

/* Our own definition of an MPI function, whoever else defines it; NULL if we have none. */
void *chain_wrapper(const char *name);

/* Who defines a function that we define after us; NULL if nobody is to be called but the library's PMPI function. */
void *chain_next(const char *name);

#endif
