/* MPI_Bcast, and the operations that move a block for each rank. */
#ifndef HOPSCOPE_MOVEMENTS_H
#define HOPSCOPE_MOVEMENTS_H

#include "engine/collective_plan.h"

/* Parts of collective_run. The plan's and the communicator's fields of the request are already set. */
int broadcast_run(const struct engine_call *call, const struct collective_plan *plan, struct schedule_request *request);
int movement_run(const struct engine_call *call, const struct collective_plan *plan, struct schedule_request *request);

#endif
