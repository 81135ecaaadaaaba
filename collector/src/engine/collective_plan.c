#include "engine/collective_plan.h"

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
                              .idle_polls = plan->idle_polls,
                              .error = MPI_SUCCESS};
}

bool collective_schedule(struct engine_comm *e, const struct collective_plan *plan,
                         const struct schedule_request *request) {
    return algorithm_schedule(plan->algorithm, &e->schedule, request) && engine_comm_reserve(e);
}

void collective_execute(struct execution *x, struct engine_comm *e) {
    x->slots = e->slots;
    x->queue = e->queue;
    execution_run(x);
}

int collective_run_empty_handed(struct execution *x, const struct collective_plan *plan,
                                const struct schedule_request *request) {
    struct schedule schedule = {.on_step = execution_pass, .on_step_context = x};
    x->error = MPI_ERR_NO_MEM;
    algorithm_schedule(plan->algorithm, &schedule, request);
    return x->error;
}
