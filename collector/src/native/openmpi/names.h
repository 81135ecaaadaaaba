/* The name of the Open MPI algorithm that a blocking collective ran: that of the first of the algorithms' functions
 * that was called.
 *
 * Open MPI calls these functions (algorithms.h) through the linkage tables of its objects. There the collector replaces
 * them by functions that note a number and jump on. Exporting the symbols instead would do the same from the start, but
 * mpi4py then crashed. */
#ifndef HOPSCOPE_NATIVE_OPENMPI_NAMES_H
#define HOPSCOPE_NATIVE_OPENMPI_NAMES_H

#include <stdint.h>

#include "hopscope/functions.h"

/* Does nothing on machines other than x86-64, and with HOPSCOPE_NATIVE_NAMES=0. */
void openmpi_names_start(void);
/* Restores the tables. */
void openmpi_names_stop(void);

/* The id of the name's definition, if native_collective.called belongs to this MPI function; else 0. */
uint32_t openmpi_name(uint32_t called, enum mpi_function function);

#endif
