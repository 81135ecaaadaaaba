/* Reductions and the barrier. */
#ifndef HOPSCOPE_REDUCTIONS_H
#define HOPSCOPE_REDUCTIONS_H

#include "engine/collective_plan.h"

/* A part of collective_run. The plan's and the communicator's fields of the request are already set. */
int reduction_run(const struct engine_call *call, const struct collective_plan *plan, struct schedule_request *request);

#endif
