/* What all collectives have in common: the request for their schedule, and running it. */
#include "engine/collectives.h"

struct execution collective_execution(const struct engine_call *call, const struct collective_plan *plan) {
    struct engine_comm *e = call->comm->engine;
    return (struct execution){.schedule = &e->schedule,
                              .transport = e->transport,
                              .datatype = MPI_BYTE,
                              .op = call->op,
                              .unit_bytes = 1,
                              .gapless = true,
                              .rank = call->comm->rank,
                              .tree = plan->tree,
                              .comm = call->comm->id,
                              .seq = call->seq,
                              .turn = e->turns++,
                              .idle_polls = plan->idle_polls,
                              .error = MPI_SUCCESS};
}

bool collective_lay(struct engine_comm *e, const struct collective_plan *plan, const struct schedule_request *request) {
    return algorithm_lay(plan->algorithm, &e->schedule, request) && engine_comm_make_room(e);
}

void collective_execute(struct execution *x, struct engine_comm *e) {
    x->slots = e->slots;
    x->queue = e->queue;
    execution_run(x);
}

int collective_run_empty_handed(struct execution *x, const struct collective_plan *plan,
                                const struct schedule_request *request) {
    struct schedule written = {.instead = execution_pass, .instead_context = x};
    x->error = MPI_ERR_NO_MEM;
    algorithm_lay(plan->algorithm, &written, request);
    return x->error;
}

int collective_run(const struct engine_call *call, const struct collective_plan *plan) {
    struct engine_comm *e = call->comm->engine;
    int rank = call->comm->rank;
    struct schedule_request r = {.operation = plan->operation,
                                 .rank = rank,
                                 .size = call->comm->size,
                                 .root = plan->root,
                                 .arrival_order = plan->arrival_order,
                                 .tree = plan->up ? plan->up : plan->down,
                                 .members = &e->members,
                                 .scratch = e->scratch};
    if (plan->up)
        r.up = engine_comm_place(e, rank, plan->up, plan->root, TREE_REDUCE);
    if (plan->down)
        r.down = engine_comm_place(e, rank, plan->down, plan->root, TREE_BROADCAST);
    if (plan->operation == OPERATION_BCAST)
        return broadcast_run(call, plan, &r);
    if (plan->operation == OPERATION_BARRIER || operation_reduces(plan->operation))
        return reduction_run(call, plan, &r);
    return movement_run(call, plan, &r);
}
