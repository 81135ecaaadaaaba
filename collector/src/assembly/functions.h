/* What hopscope/functions.h says, in OTF2's words. */
#ifndef HOPSCOPE_ASSEMBLY_FUNCTIONS_H
#define HOPSCOPE_ASSEMBLY_FUNCTIONS_H

#include <otf2/otf2.h>
#include <stdbool.h>
#include <stdint.h>

#include "hopscope/functions.h"

/* function: enum mpi_function as recorded; a number that the list lacks is "unknown". */
const char *function_name(uint16_t function);
bool function_is_collective(uint16_t function);
/* A collective that returns before it is done; not a start of a persistent one, which is MPI_Start's. */
bool function_is_nonblocking(uint16_t function);
OTF2_RegionRole function_role(uint16_t function);
/* Of a collective, and of a function that makes a persistent one, only. */
OTF2_CollectiveOp function_collective_op(uint16_t function);

#endif
