/* Runs reductions and the barrier. */
#ifndef HOPSCOPE_REDUCTIONS_H
#define HOPSCOPE_REDUCTIONS_H

#include "engine/collective_plan.h"

/* The branch of collective_run for reductions and the barrier. The caller has set the request's fields that come from
 * the plan and the communicator. Returns MPI's error code. */
int reduction_run(const struct engine_call *call, const struct collective_plan *plan, struct schedule_request *request);

#endif
