/* Finds the name of the Open MPI algorithm that a blocking collective ran. An algorithm is a function (algorithms.h);
 * the first one that is called in the collective counts.
 *
 * Open MPI calls these functions through the linkage tables of its shared objects. In these tables the collector
 * replaces them by functions that note a number and jump to the original. (With exported symbols of the same names,
 * which would be simpler, mpi4py crashed.) */
#ifndef HOPSCOPE_NATIVE_OPENMPI_NAMES_H
#define HOPSCOPE_NATIVE_OPENMPI_NAMES_H

#include <stdint.h>

#include "hopscope/functions.h"

/* Changes the tables. Does nothing on machines other than x86-64, or if HOPSCOPE_NATIVE_NAMES is 0. */
void openmpi_names_start(void);
/* Restores the tables. */
void openmpi_names_stop(void);

/* The id of the definition of the algorithm's name. called: native_collective.called. 0 if that algorithm is not one of
 * this MPI function. */
uint32_t openmpi_name(uint32_t called, enum mpi_function function);

#endif
