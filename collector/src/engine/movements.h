/* Runs MPI_Bcast, and the operations that move a block for each rank. */
#ifndef HOPSCOPE_MOVEMENTS_H
#define HOPSCOPE_MOVEMENTS_H

#include "engine/collective_plan.h"

/* collective_run calls one of these, for MPI_Bcast or for an operation that moves blocks. It has set the request's
 * fields that come from the plan and the communicator. Both return MPI's error code. */
int broadcast_run(const struct engine_call *call, const struct collective_plan *plan, struct schedule_request *request);
int movement_run(const struct engine_call *call, const struct collective_plan *plan, struct schedule_request *request);

#endif
