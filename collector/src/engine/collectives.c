/* Where the user's data and the engine's copies of it lie while a schedule runs.
 *
 * Reductions work on the user's datatype: every copy mirrors the user's layout, so gaps, lower bounds and negative
 * extents stay as the user's operation expects them. Data movement is in packed bytes, because members may use
 * different datatypes of one signature.
 */
#include "engine/collectives.h"

#include <stdlib.h>

#include "hopscope/functions.h"

struct layout {
    MPI_Count extent, lower, true_lower, true_extent;
    bool gapless; /* a predefined datatype whose units are its bytes */
};

static struct layout layout_of(MPI_Datatype datatype, int64_t unit_bytes) {
    struct layout l = {0};
    int integers, addresses, datatypes, combiner = 0;
    pmpi.Type_get_extent_x(datatype, &l.lower, &l.extent);
    pmpi.Type_get_true_extent_x(datatype, &l.true_lower, &l.true_extent);
    pmpi.Type_get_envelope(datatype, &integers, &addresses, &datatypes, &combiner);
    /* A derived datatype may list its bytes in any order, so only a predefined one is what it looks like. */
    l.gapless =
        combiner == MPI_COMBINER_NAMED && l.true_lower == 0 && l.extent == unit_bytes && l.true_extent == unit_bytes;
    return l;
}

static int64_t round_down(int64_t bytes) {
    return bytes >= 0 ? bytes / 64 * 64 : -((-bytes + 63) / 64 * 64);
}

static void prepare(struct execution *x, const struct engine_call *call, const struct collective_plan *plan,
                    struct engine_comm *e) {
    *x = (struct execution){.schedule = &e->schedule,
                            .transport = e->transport,
                            .datatype = call->datatype,
                            .op = call->op,
                            .unit_bytes = plan->unit_bytes,
                            .rank = call->comm->rank,
                            .tree = plan->tree,
                            .comm = call->comm->id,
                            .seq = call->seq,
                            .idle_polls = plan->idle_polls,
                            .error = MPI_SUCCESS};
}

static void run(struct execution *x, struct engine_comm *e) {
    x->slots = e->slots;
    x->queue = e->queue;
    execution_run(x);
}

/* Lays the rings one behind the other. False without memory. */
static bool place_rings(struct engine_comm *e, const struct schedule_request *r, const struct layout *l) {
    const struct schedule *s = &e->schedule;
    int64_t last = (s->ring_units - 1) * l->extent;
    int64_t low = round_down(l->true_lower + (last < 0 ? last : 0));
    int64_t high = l->true_lower + l->true_extent + (last > 0 ? last : 0);
    int64_t ring_bytes = -round_down(low - high);
    int first = s->own_ring ? SLOT_OWN : SLOT_CHILD, count = s->slot_count - first;
    if (r->empty || count == 0)
        return true;
    if (ring_bytes > INT64_MAX / 2 / count)
        return false;
    char *memory = engine_comm_memory(e, (size_t)ring_bytes * (size_t)count);
    if (!memory)
        return false;
    for (int i = 0; i < count; i++)
        e->slots[first + i] = (struct slot_memory){memory + i * ring_bytes - low, (MPI_Aint)l->extent};
    return true;
}

static int reduce(const struct engine_call *call, const struct collective_plan *plan, struct schedule_request *r) {
    struct engine_comm *e = call->comm->engine;
    struct execution x;
    bool at_root = r->up->parent < 0;
    /* Equal buffers are not allowed, but most MPI libraries let them pass, and they mean the same. */
    bool in_place = call->send_buffer == MPI_IN_PLACE || call->send_buffer == call->receive_buffer;
    prepare(&x, call, plan, e);
    r->in_place = in_place && (at_root || r->down);
    r->empty = plan->unit_bytes == 0;
    if (r->empty)
        x.datatype = MPI_BYTE;
    struct layout l = r->empty ? (struct layout){.gapless = true} : layout_of(call->datatype, plan->unit_bytes);
    x.gapless = l.gapless;
    if (!schedule_tree(&e->schedule, r) || !engine_comm_make_room(e) || !place_rings(e, r, &l)) {
        x.error = MPI_ERR_NO_MEM;
        execution_run_empty_handed(&x, r);
        return x.error;
    }
    char *output = call->receive_buffer, *input = r->in_place ? output : (char *)(uintptr_t)call->send_buffer;
    e->slots[SLOT_INPUT] = (struct slot_memory){input, (MPI_Aint)l.extent};
    e->slots[SLOT_OUTPUT] = (struct slot_memory){output, (MPI_Aint)l.extent};
    if (!e->schedule.own_ring)
        e->slots[SLOT_OWN] = (struct slot_memory){NULL, 0};
    if (r->empty)
        for (int i = SLOT_OWN; i < e->schedule.slot_count; i++)
            e->slots[i] = (struct slot_memory){output, 0};
    run(&x, e);
    if (r->empty || (e->any_fitted && e->fitting_op == call->op && e->fitting_datatype == call->datatype))
        prepared_keep(call, &x);
    return x.error;
}

/* MPICH does not pack from MPI_BOTTOM, so an absolute datatype is made relative to an address of ours. */
static int anchored(MPI_Datatype absolute, const void *anchor, MPI_Datatype *relative) {
    int one = 1;
    MPI_Aint displacement = -(MPI_Aint)anchor;
    int error = pmpi.Type_create_hindexed(1, &one, &displacement, absolute, relative);
    return error == MPI_SUCCESS ? pmpi.Type_commit(relative) : error;
}

/* MPI counts packed bytes in int, so long messages are packed in pieces of whole elements. */
static int pack(const struct engine_call *call, const struct layout *l, int64_t unit_bytes, char *packed, bool in) {
    const int64_t most = INT64_C(1) << 30;
    int64_t piece = unit_bytes > most ? 1 : most / unit_bytes;
    MPI_Comm comm = call->comm->engine->handle;
    MPI_Datatype datatype = call->datatype;
    char *base = call->receive_buffer;
    int error = MPI_SUCCESS;
    if (call->receive_buffer == MPI_BOTTOM) {
        base = (char *)&datatype;
        error = anchored(call->datatype, base, &datatype);
    }
    for (int64_t done = 0; done < call->count && error == MPI_SUCCESS; done += piece) {
        int count = (int)(call->count - done < piece ? call->count - done : piece), position = 0;
        int bytes = (int)(count * unit_bytes);
        char *user = base + done * l->extent, *at = packed + done * unit_bytes;
        if (in)
            error = pmpi.Pack(user, count, datatype, at, bytes, &position, comm);
        else
            error = pmpi.Unpack(at, bytes, &position, user, count, datatype, comm);
    }
    if (datatype != call->datatype)
        pmpi.Type_free(&datatype);
    return error;
}

/* Each member's own complaint about its datatype (one that was not committed), as the library would make it, and not
 * what follows from the root's. */
static int refusal(const struct engine_call *call, char *packed) {
    int position = 0;
    return pmpi.Unpack(packed, 0, &position, call->receive_buffer, 0, call->datatype, call->comm->engine->handle);
}

static int broadcast(const struct engine_call *call, const struct collective_plan *plan, struct schedule_request *r) {
    struct engine_comm *e = call->comm->engine;
    struct layout l = layout_of(call->datatype, plan->unit_bytes);
    struct execution x;
    bool at_root = r->down->parent < 0;
    char *bytes = call->receive_buffer;
    prepare(&x, call, plan, e);
    x.datatype = MPI_BYTE;
    x.unit_bytes = 1;
    x.gapless = true;
    if (!l.gapless)
        bytes = engine_comm_memory(e, (size_t)r->cut.units);
    if (!bytes || !schedule_tree(&e->schedule, r) || !engine_comm_make_room(e)) {
        x.error = MPI_ERR_NO_MEM;
        execution_run_empty_handed(&x, r);
        return x.error;
    }
    if (at_root && !l.gapless)
        x.error = pack(call, &l, plan->unit_bytes, bytes, true);
    else if (!l.gapless)
        x.error = refusal(call, bytes);
    e->slots[SLOT_INPUT] = e->slots[SLOT_OUTPUT] = (struct slot_memory){bytes, 1};
    e->slots[SLOT_OWN] = (struct slot_memory){NULL, 0};
    run(&x, e);
    if (l.gapless)
        prepared_keep(call, &x);
    else if (!at_root && x.error == MPI_SUCCESS)
        x.error = pack(call, &l, plan->unit_bytes, bytes, false);
    return x.error;
}

int collective_run(const struct engine_call *call, const struct collective_plan *plan) {
    struct engine_comm *e = call->comm->engine;
    int rank = call->comm->rank;
    struct schedule_request r = {.arrival_order = plan->arrival_order};
    if (plan->up)
        r.up = engine_comm_place(e, rank, plan->up, plan->root, TREE_REDUCE);
    if (plan->down)
        r.down = engine_comm_place(e, rank, plan->down, plan->root, TREE_BROADCAST);
    if (!plan->up) {
        r.cut = segmentation_of((int64_t)call->count * plan->unit_bytes, 1, plan->segment_bytes);
        return broadcast(call, plan, &r);
    }
    r.cut = segmentation_of(plan->unit_bytes == 0 ? 0 : call->count, plan->unit_bytes, plan->segment_bytes);
    return reduce(call, plan, &r);
}
