/* The collectives, laid out in memory and run: reductions in elements of the user's datatype, data movement in packed
 * bytes. */
#ifndef HOPSCOPE_COLLECTIVES_H
#define HOPSCOPE_COLLECTIVES_H

#include "engine/engine.h"
#include "engine/engine_comm.h"
#include "plan/algorithm.h"

struct collective_plan {
    enum operation operation;
    const struct algorithm *algorithm;
    const struct tree_spec *up, *down; /* NULL for a phase that is not run, or not over a tree */
    int root;                          /* of the call; where it has none, of the tree */
    uint64_t segment_bytes;
    bool arrival_order;
    uint16_t tree; /* id in the records */
    int idle_polls;
};

/* MPI's error code; no handler has been called. */
int collective_run(const struct engine_call *call, const struct collective_plan *plan);

/* The parts of collective_run: of reductions and the barrier, of MPI_Bcast, of operations with a block for each rank.
 * The request says already what the plan and the communicator do. */
int reduction_run(const struct engine_call *call, const struct collective_plan *plan, struct schedule_request *request);
int broadcast_run(const struct engine_call *call, const struct collective_plan *plan, struct schedule_request *request);
int movement_run(const struct engine_call *call, const struct collective_plan *plan, struct schedule_request *request);

/* What every execution begins with: packed bytes, until the caller says otherwise. */
struct execution collective_execution(const struct engine_call *call, const struct collective_plan *plan);
/* Lays the schedule and makes room for it. False without memory. */
bool collective_lay(struct engine_comm *engine, const struct collective_plan *plan,
                    const struct schedule_request *request);
/* Runs it over engine->slots. */
void collective_execute(struct execution *execution, struct engine_comm *engine);
/* Takes a rank without memory through it: receives what it has to, sends empty messages, so that nobody waits in vain
 * and everybody who needed its part learns of the failure. Returns the error. */
int collective_run_empty_handed(struct execution *execution, const struct collective_plan *plan,
                                const struct schedule_request *request);

#endif
