/* Translates mpi_functions.h into OTF2's terms. */
#ifndef HOPSCOPE_ASSEMBLY_FUNCTIONS_H
#define HOPSCOPE_ASSEMBLY_FUNCTIONS_H

#include <otf2/otf2.h>
#include <stdbool.h>
#include <stdint.h>

#include "hopscope/functions.h"

/* The name of an MPI function; "unknown" for a number that enum mpi_function does not have. */
const char *function_name(uint16_t function);
/* True for a collective, and for another call that all members make if its ENTER record has a communicator. comm: the
 * communicator of the ENTER record; 0: none. */
bool function_is_collective(uint16_t function, uint32_t comm);
/* True for a nonblocking collective. A persistent collective is started by MPI_Start, for which this returns false. */
bool function_is_nonblocking(uint16_t function);
OTF2_RegionRole function_role(uint16_t function);
/* Valid only for collectives and for functions that create a persistent collective. */
OTF2_CollectiveOp function_collective_op(uint16_t function);

#endif
