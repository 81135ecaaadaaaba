/* Reads a collective's arguments: how many bytes they mean, and whether the MPI library would accept them. */
#ifndef HOPSCOPE_ARGUMENTS_H
#define HOPSCOPE_ARGUMENTS_H

#include "engine/engine_call.h"
#include "plan/operation.h"

/* The operation of a function; OPERATIONS if the engine knows none. */
enum operation operation_of(int function);

/* False if the library would refuse the arguments; they then go to the library, which reports its own error. Only this
 * rank refuses; the others wait for it, as they would in the library. If true, *bytes is the packed size by which the
 * rules of a tree file decide: of one block if each rank has one; of all blocks for MPI_Allgatherv and reduce-scatters;
 * else of the message; 0 if members do not know it. */
bool arguments_are_sound(const struct engine_call *call, enum operation operation, uint64_t *bytes);

#endif
