/* Translates mpi_functions.h into OTF2's terms. */
#ifndef HOPSCOPE_ASSEMBLY_FUNCTIONS_H
#define HOPSCOPE_ASSEMBLY_FUNCTIONS_H

#include <otf2/otf2.h>
#include <stdbool.h>
#include <stdint.h>

#include "hopscope/functions.h"

/* The name of a function. function: enum mpi_function as recorded; a number that is not in the list gives "unknown". */
const char *function_name(uint16_t function);
/* True for a collective. comm: from the record of its enter. Another call that all members make counts if there is a
 * comm.
 */
bool function_is_collective(uint16_t function, uint32_t comm);
/* True for a collective that returns before it is complete. False for a start of a persistent collective, which is a
 * call of MPI_Start.
 */
bool function_is_nonblocking(uint16_t function);
OTF2_RegionRole function_role(uint16_t function);
/* Valid only for collectives and for functions that create a persistent collective. */
OTF2_CollectiveOp function_collective_op(uint16_t function);

#endif
