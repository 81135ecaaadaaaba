/* The plan of a collective, and what all collectives do with it: schedule the collective, then run the schedule. */
#ifndef HOPSCOPE_COLLECTIVE_PLAN_H
#define HOPSCOPE_COLLECTIVE_PLAN_H

#include "engine/engine_call.h"
#include "engine/engine_comm.h"
#include "plan/algorithm.h"

struct collective_plan {
    enum operation operation;
    const struct algorithm *algorithm;
    const struct tree_spec *up, *down; /* trees of the roles; NULL: the role does not run, or uses no tree */
    const struct groups_spec *groups;  /* only for algorithms with the property IN_GROUPS */
    int root;                          /* the call's root; the tree's own root if the call has none */
    uint64_t segment_bytes;
    bool arrival_order;
    uint16_t tree; /* the id of the tree's name, for the records */
    int idle_polls;
};

/* An execution's initial state, for data in packed bytes. Reductions change its datatype, operation and unit. */
struct execution collective_execution(const struct engine_call *call, const struct collective_plan *plan);
/* Schedules the collective and allocates the schedule's memory. False if memory runs out. */
bool collective_schedule(struct engine_comm *engine, const struct collective_plan *plan,
                         const struct schedule_request *request);
/* Runs the schedule over engine->slots. */
void collective_execute(struct execution *execution, struct engine_comm *engine);
/* Runs the collective on a rank that lacks memory: the rank receives its messages, discards them, and sends empty ones.
 * So no member waits forever, and a rank that needed this rank's data learns of the failure. Returns MPI's error code.
 */
int collective_run_empty_handed(struct execution *execution, const struct collective_plan *plan,
                                const struct schedule_request *request);

#endif
