#include "engine/collectives.h"

#include "engine/movements.h"
#include "engine/reductions.h"

int collective_run(const struct engine_call *call, const struct collective_plan *plan) {
    struct engine_comm *e = call->comm->engine;
    int rank = call->comm->rank;
    struct schedule_request r = {.operation = plan->operation,
                                 .rank = rank,
                                 .size = call->comm->size,
                                 .root = plan->root,
                                 .arrival_order = plan->arrival_order,
                                 .tree = plan->up ? plan->up : plan->down,
                                 .groups = plan->groups,
                                 .members = &e->members,
                                 .scratch = e->scratch};
    if (plan->up)
        r.up = engine_comm_position(e, rank, plan->up, plan->root, TREE_REDUCE);
    if (plan->down)
        r.down = engine_comm_position(e, rank, plan->down, plan->root, TREE_BROADCAST);
    if (plan->operation == OPERATION_BCAST)
        return broadcast_run(call, plan, &r);
    if (plan->operation == OPERATION_BARRIER || operation_reduces(plan->operation))
        return reduction_run(call, plan, &r);
    return movement_run(call, plan, &r);
}
