/* What a collective's arguments say: in bytes, and whether the MPI library would take them. */
#ifndef HOPSCOPE_ARGUMENTS_H
#define HOPSCOPE_ARGUMENTS_H

#include "engine/engine.h"
#include "plan/operation.h"

/* The operation of a function; OPERATIONS if the engine knows none. */
enum operation operation_of(int function);

/* False if the library would refuse the arguments: they are left to it, the error shall be its own. A refusal is this
 * rank's alone; the others then wait for it as they would in the library. Otherwise with the packed bytes that the
 * rules of a tree file decide by: of one block, where each rank has one; of all blocks of MPI_Allgatherv and of a
 * reduce-scatter; of the message elsewhere; 0 where members do not know. */
bool arguments_are_sound(const struct engine_call *call, enum operation operation, uint64_t *bytes);

/* The number of elements for (or from) a rank, and where they begin: an offset in extents of the datatype (bytes with
 * datatypes). The buffer has a block for each rank. */
int64_t buffer_count(const struct engine_call *call, const struct engine_buffer *buffer, int rank);
int64_t buffer_displacement(const struct engine_call *call, const struct engine_buffer *buffer, int rank);
MPI_Datatype buffer_datatype(const struct engine_buffer *buffer, int rank);

#endif
