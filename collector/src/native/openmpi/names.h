/* Which of Open MPI's own algorithms a blocking collective ran: the name of the first of its functions that was called.
 *
 * Open MPI calls these functions (openmpi_algorithms.h) through the linkage tables of its objects. There they are
 * replaced by functions of ours that note a number and jump on. Exporting the symbols instead would do the same from
 * the start, but mpi4py then crashed.
 */
#ifndef HOPSCOPE_NATIVE_OPENMPI_NAMES_H
#define HOPSCOPE_NATIVE_OPENMPI_NAMES_H

#include <stdint.h>

#include "hopscope/functions.h"

/* Nothing happens on machines other than x86-64, and with HOPSCOPE_NATIVE_NAMES=0. */
void openmpi_names_start(void);
/* Puts the tables back. */
void openmpi_names_stop(void);

/* The id of the name's definition, if what native_collective.called says belongs to this MPI function; else 0. */
uint32_t openmpi_name(uint32_t called, enum mpi_function function);

#endif
