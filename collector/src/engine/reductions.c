/* Decides where a reduction's operands and results are: in the user's buffers, or in the engine's memory with the same
 * layout. */
#include "engine/reductions.h"

#include "engine/layout.h"
#include "engine/operators.h"
#include "engine/prepared.h"
#include "mpi/type_bytes.h"

static int64_t round_down(int64_t bytes) {
    return bytes >= 0 ? bytes / 64 * 64 : -((-bytes + 63) / 64 * 64);
}

/* Allocates the slots that are not the user's buffers, one after another in one piece of memory. False if memory runs
 * out. */
static bool allocate_rings(struct engine_comm *e, const struct layout *l) {
    const struct schedule *s = &e->schedule;
    int64_t last = (s->ring_units - 1) * l->extent;
    int64_t low = round_down(l->true_lower + (last < 0 ? last : 0));
    int64_t high = l->true_lower + l->true_extent + (last > 0 ? last : 0);
    int64_t ring_bytes = -round_down(low - high);
    int first = s->own_ring ? SLOT_OWN : SLOT_OTHER, count = s->slot_count - first;
    for (int i = SLOT_OWN; i < s->slot_count; i++)
        e->slots[i] = (struct slot_memory){NULL, 0};
    if (count == 0 || s->ring_units == 0)
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

/* The blocks of a reduce-scatter's result, one per rank, in elements. */
static struct blocks blocks_of(const struct engine_call *call, int64_t *tables) {
    int size = call->comm->size;
    int64_t *positions = tables, *lengths = tables + size, position = 0;
    for (int rank = 0; rank < size; rank++) {
        positions[rank] = position;
        lengths[rank] = buffer_count(call, &call->receive, rank);
        position += lengths[rank];
    }
    return (struct blocks){positions, lengths};
}

static bool in_place(const struct engine_call *call, const struct schedule_request *r) {
    /* MPI forbids equal buffers, but most libraries accept them and treat them as MPI_IN_PLACE. */
    bool shared = call->send.base == MPI_IN_PLACE || call->send.base == call->receive.base;
    return shared && (r->operation != OPERATION_REDUCE || r->rank == r->root);
}

int reduction_run(const struct engine_call *call, const struct collective_plan *plan, struct schedule_request *r) {
    struct engine_comm *e = call->comm->engine;
    struct execution x = collective_execution(call, plan);
    struct layout l = {.gapless = true};
    r->empty = plan->operation == OPERATION_BARRIER;
    r->in_place = !r->empty && in_place(call, r);
    if (!r->empty) {
        x.datatype = call->receive.datatype;
        x.unit_bytes = (int64_t)type_bytes(x.datatype);
        l = layout_of(x.datatype, x.unit_bytes);
    }
    x.gapless = l.gapless;
    r->most_units = schedule_most_units(x.unit_bytes);
    r->cut = segmentation_of(r->empty ? 0 : call->receive.count, x.unit_bytes, plan->segment_bytes);
    if (operation_has_blocks(plan->operation))
        r->input = blocks_of(call, e->tables);
    if (!collective_schedule(e, plan, r) || (!r->empty && !allocate_rings(e, &l)))
        return collective_run_empty_handed(&x, plan, r);
    char *output = (char *)(uintptr_t)call->receive.base;
    char *input = r->in_place ? output : (char *)(uintptr_t)call->send.base;
    e->slots[SLOT_INPUT] = (struct slot_memory){input, (MPI_Aint)l.extent};
    e->slots[SLOT_OUTPUT] = (struct slot_memory){output, (MPI_Aint)l.extent};
    for (int i = SLOT_OWN; i < e->schedule.slot_count && r->empty; i++)
        e->slots[i] = (struct slot_memory){output, 0};
    collective_execute(&x, e);
    if (r->empty || operator_is_lasting(call->op, call->receive.datatype))
        prepared_keep(call, &x);
    return x.error;
}
