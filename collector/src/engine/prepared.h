/* Repeated calls: decided, laid out and scheduled once.
 *
 * Keeps only short schedules, and only calls with predefined operations and datatypes, whose handles never change
 * meaning. Each rank keeps its own; whether the engine runs a call is decided before, on all ranks alike.
 */
#ifndef HOPSCOPE_PREPARED_H
#define HOPSCOPE_PREPARED_H

#include "engine/engine_call.h"
#include "engine/engine_comm.h"

enum { PREPARED_MOST_STEPS = 64 };

/* NULL: not prepared. */
struct prepared *prepared_find(struct engine_comm *engine, const struct engine_call *call);
/* MPI's error code. */
int prepared_run(struct prepared *prepared, const struct engine_call *call);
/* Keeps what execution has just run for the next such call, if it is short. The caller guarantees that operation and
 * datatype are predefined and that slots are in the call's buffers or the communicator's memory. */
void prepared_keep(const struct engine_call *call, const struct execution *execution);

#endif
