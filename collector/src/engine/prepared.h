/* Calls that repeat: the engine decides and schedules them once.
 *
 * It keeps only short schedules, and only calls with predefined operations and datatypes, whose handles never change
 * meaning. Each rank decides for itself which calls it keeps. The decision to run a call in the engine is made before
 * that, and is the same on all ranks.
 */
#ifndef HOPSCOPE_PREPARED_H
#define HOPSCOPE_PREPARED_H

#include "engine/engine_call.h"
#include "engine/engine_comm.h"

enum { PREPARED_MOST_STEPS = 64 };

/* The prepared form of this call; NULL if there is none. The communicator owns it. */
struct prepared *prepared_find(struct engine_comm *engine, const struct engine_call *call);
/* Runs a prepared call. Returns MPI's error code. */
int prepared_run(struct prepared *prepared, const struct engine_call *call);
/* Keeps the execution that has just run for the next equal call, if its schedule is short. The caller guarantees two
 * things: the operation and the datatype are predefined, and slots are in the call's buffers or the communicator's
 * memory. */
void prepared_keep(const struct engine_call *call, const struct execution *execution);

#endif
