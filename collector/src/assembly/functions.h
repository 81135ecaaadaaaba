/* Translates mpi_functions.h into OTF2's terms. */
#ifndef HOPSCOPE_ASSEMBLY_FUNCTIONS_H
#define HOPSCOPE_ASSEMBLY_FUNCTIONS_H

#include <otf2/otf2.h>
#include <stdbool.h>
#include <stdint.h>

#include "hopscope/functions.h"

/* function: enum mpi_function as recorded; a number not in the list is "unknown". */
const char *function_name(uint16_t function);
/* comm: in the record of its enter. What windows and files asks all members to call is a collective where there is one.
 */
bool function_is_collective(uint16_t function, uint32_t comm);
/* True for a collective that returns before it is complete, but not for a persistent one's start, which is MPI_Start.
 */
bool function_is_nonblocking(uint16_t function);
OTF2_RegionRole function_role(uint16_t function);
/* Only for collectives and functions that create a persistent one. */
OTF2_CollectiveOp function_collective_op(uint16_t function);

#endif
