/* Runs MPI_Bcast, and the operations that move a block for each rank. */
#ifndef HOPSCOPE_MOVEMENTS_H
#define HOPSCOPE_MOVEMENTS_H

#include "engine/collective_plan.h"

/* The branches of collective_run for MPI_Bcast and for moved blocks. The caller has set the request's fields that come
 * from the plan and the communicator. They return MPI's error code. */
int broadcast_run(const struct engine_call *call, const struct collective_plan *plan, struct schedule_request *request);
int movement_run(const struct engine_call *call, const struct collective_plan *plan, struct schedule_request *request);

#endif
