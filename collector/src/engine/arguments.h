/* Reads a collective's arguments: the bytes they describe, and whether the MPI library would accept them. */
#ifndef HOPSCOPE_ARGUMENTS_H
#define HOPSCOPE_ARGUMENTS_H

#include "engine/engine_call.h"
#include "plan/operation.h"

/* The operation of a function; OPERATIONS if the engine does not implement the function. */
enum operation operation_of(int function);

/* False if the library would refuse the arguments. The call then goes to the library, which reports its own error. Only
 * this rank refuses; the others wait for it, as they would in the library.
 *
 * If true, *bytes is the packed size that the rules of a tree file compare: the size of one block if all ranks have
 * equal blocks; of all blocks for MPI_Allgatherv and reduce-scatters; otherwise of the message. It is 0 if the members
 * do not all know the size. */
bool arguments_are_sound(const struct engine_call *call, enum operation operation, uint64_t *bytes);

#endif
