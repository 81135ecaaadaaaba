/* Schedules collectives and runs them: reductions in elements of the user's datatype, data movement in packed bytes. */
#ifndef HOPSCOPE_COLLECTIVES_H
#define HOPSCOPE_COLLECTIVES_H

#include "engine/collective_plan.h"

/* Returns MPI's error code without calling an error handler. */
int collective_run(const struct engine_call *call, const struct collective_plan *plan);

#endif
