/* Where the blocks of the ranks lie while data moves: in the user's buffers if these are nothing but bytes, otherwise
 * packed in ours. */
#include "engine/arguments.h"
#include "engine/collectives.h"
#include "engine/layout.h"
#include "mpi/type_bytes.h"

/* One of the two buffers. */
struct side {
    const struct engine_call *call;
    const struct engine_buffer *buffer; /* NULL: this rank has none */
    struct layout layout;               /* where all blocks have one datatype */
    int64_t unit_bytes;
    int own;     /* the only block there is, at the beginning; -1: there is one for each rank */
    int without; /* this block is not touched; -1: all are */
    bool packed;
    struct blocks blocks; /* in bytes */
    int64_t packed_bytes;
    char *memory; /* packed */
};

/* A block as the user has it. */
struct block {
    char *at;
    int64_t count, bytes, unit_bytes;
    MPI_Datatype datatype;
    struct layout layout;
};

static struct block block_of(const struct side *s, int rank) {
    struct block b = {.count = s->own >= 0 ? s->buffer->count : buffer_count(s->call, s->buffer, rank),
                      .datatype = buffer_datatype(s->buffer, rank),
                      .layout = s->layout,
                      .unit_bytes = s->unit_bytes};
    int64_t offset = s->own >= 0 ? 0 : buffer_displacement(s->call, s->buffer, rank);
    if (s->buffer->datatypes && b.count > 0) {
        b.unit_bytes = (int64_t)type_bytes(b.datatype);
        b.layout = layout_of(b.datatype, b.unit_bytes);
    }
    b.at = (char *)(uintptr_t)s->buffer->base + offset * (s->buffer->datatypes ? 1 : (int64_t)s->layout.extent);
    b.bytes = b.count * b.unit_bytes;
    return b;
}

/* The blocks where they are. False if one of them is not just bytes, or (ranges) they do not follow one another. */
static bool lie_ready(const struct side *s, int64_t *at, int64_t *length, bool ranges) {
    int first = s->own >= 0 ? s->own : 0, end = s->own >= 0 ? s->own + 1 : s->call->comm->size;
    for (int rank = first; rank < end; rank++) {
        struct block b = block_of(s, rank);
        if (b.bytes > 0 && !b.layout.gapless)
            return false;
        at[rank] = b.at - (char *)(uintptr_t)s->buffer->base;
        length[rank] = b.bytes;
        if (ranges && rank > first && at[rank] != at[rank - 1] + length[rank - 1])
            return false;
    }
    return true;
}

static void follow_one_another(struct side *s, int64_t *at, int64_t *length) {
    int first = s->own >= 0 ? s->own : 0, end = s->own >= 0 ? s->own + 1 : s->call->comm->size;
    for (int rank = first; rank < end; rank++) {
        at[rank] = s->packed_bytes;
        length[rank] = block_of(s, rank).bytes;
        s->packed_bytes += length[rank];
    }
}

/* tables: room for an at and a length of every rank. */
static void measure(struct side *s, int64_t *tables, bool ranges, bool pack) {
    int64_t *at = tables, *length = tables + s->call->comm->size;
    s->blocks = (struct blocks){at, length};
    s->unit_bytes = s->buffer->datatypes ? 0 : (int64_t)type_bytes(s->buffer->datatype);
    if (!s->buffer->datatypes)
        s->layout = layout_of(s->buffer->datatype, s->unit_bytes);
    s->packed = pack || !lie_ready(s, at, length, ranges);
    if (s->packed)
        follow_one_another(s, at, length);
}

static int64_t aligned(int64_t bytes) {
    return (bytes + 63) / 64 * 64;
}

/* One piece of memory for what is packed and for the schedule's own slots. False without it. */
static bool place(struct engine_comm *e, struct side *in, struct side *out) {
    const struct schedule *s = &e->schedule;
    int64_t ring_bytes = aligned(s->ring_units), rings = s->ring_units > 0 ? s->slot_count - SLOT_OTHER : 0;
    int64_t inputs = aligned(in->packed_bytes), outputs = aligned(out->packed_bytes);
    char *memory = NULL;
    if (inputs + outputs + rings > 0) {
        memory = engine_comm_memory(e, (size_t)(inputs + outputs + rings * ring_bytes));
        if (!memory)
            return false;
    }
    in->memory = memory;
    out->memory = memory + inputs;
    for (int i = SLOT_OWN; i < s->slot_count; i++)
        e->slots[i] = (struct slot_memory){NULL, 1};
    for (int i = 0; i < rings; i++)
        e->slots[SLOT_OTHER + i] = (struct slot_memory){memory + inputs + outputs + i * ring_bytes, 1};
    return true;
}

static struct slot_memory slot_of(const struct side *s) {
    char *base = !s->buffer ? NULL : s->packed ? s->memory : (char *)(uintptr_t)s->buffer->base;
    return (struct slot_memory){base, 1};
}

/* Between the user's buffer and the packed one; only: that block alone, -1: all but `without`. */
static int pack(const struct side *s, bool in, int only) {
    int first = s->own >= 0 ? s->own : 0, end = s->own >= 0 ? s->own + 1 : s->call->comm->size;
    MPI_Comm comm = s->call->comm->engine->handle;
    for (int rank = only >= 0 ? only : first; rank < (only >= 0 ? only + 1 : end); rank++) {
        struct block b = block_of(s, rank);
        if (b.bytes == 0 || (only < 0 && rank == s->without))
            continue;
        int error =
            layout_pack(b.at, b.count, b.datatype, &b.layout, b.unit_bytes, s->memory + s->blocks.at[rank], in, comm);
        if (error != MPI_SUCCESS)
            return error;
    }
    return MPI_SUCCESS;
}

/* Which buffer of this rank holds what. */
static void take_sides(const struct engine_call *call, const struct schedule_request *r, struct side *in,
                       struct side *out) {
    bool at_root = r->rank == r->root;
    switch (r->operation) {
    case OPERATION_GATHER:
    case OPERATION_GATHERV:
        in->own = r->rank;
        in->buffer = at_root && call->send.base == MPI_IN_PLACE ? NULL : &call->send;
        out->buffer = at_root ? &call->receive : NULL;
        out->without = in->buffer ? -1 : r->rank;
        break;
    case OPERATION_SCATTER:
    case OPERATION_SCATTERV:
        out->own = r->rank;
        in->buffer = at_root ? &call->send : NULL;
        out->buffer = at_root && call->receive.base == MPI_IN_PLACE ? NULL : &call->receive;
        break;
    case OPERATION_ALLGATHER:
    case OPERATION_ALLGATHERV:
        in->own = r->rank;
        in->buffer = call->send.base == MPI_IN_PLACE ? NULL : &call->send;
        out->buffer = &call->receive;
        break;
    default: /* alltoall in place sends what lies where it will receive */
        in->buffer = call->send.base == MPI_IN_PLACE ? &call->receive : &call->send;
        out->buffer = &call->receive;
    }
}

/* This rank's own block, where it has it in both buffers: how many bytes there are more than its place has. Not 0: the
 * program is wrong. */
static int64_t excess(const struct side *in, const struct side *out, int rank) {
    return in->buffer && out->buffer ? in->blocks.length[rank] - out->blocks.length[rank] : 0;
}

/* A rank whose own block does not fit goes on as far as the others get what is theirs. Where its own becomes part of
 * what others get, they learn of the error in its place. */
static bool passes_own_on(const struct collective_plan *plan) {
    return plan->algorithm->properties & RANGES || plan->operation == OPERATION_ALLGATHER ||
           plan->operation == OPERATION_ALLGATHERV;
}

int movement_run(const struct engine_call *call, const struct collective_plan *plan, struct schedule_request *r) {
    struct engine_comm *e = call->comm->engine;
    struct execution x = collective_execution(call, plan);
    struct side in = {.call = call, .own = -1, .without = -1}, out = in;
    bool ranges = plan->algorithm->properties & RANGES;
    take_sides(call, r, &in, &out);
    /* Not of alltoall, whose input is a copy then; and only at the root where there is one. */
    r->in_place = operation_has_root(r->operation) ? r->rank == r->root && (!in.buffer || !out.buffer) : !in.buffer;
    if (in.buffer)
        measure(&in, e->tables, ranges, in.buffer == out.buffer);
    if (out.buffer)
        measure(&out, e->tables + 2 * r->size, ranges, false);
    r->input = in.blocks;
    r->output = out.blocks;
    r->most_units = SCHEDULE_MOST_BYTES;
    r->cut = segmentation_of(0, 0, 0);
    if (!collective_lay(e, plan, r) || !place(e, &in, &out))
        return collective_run_empty_handed(&x, plan, r);
    int64_t more = excess(&in, &out, r->rank);
    if (more > 0 && passes_own_on(plan))
        x.error = MPI_ERR_TRUNCATE;
    else if (more < 0 && ranges)
        x.error = MPI_ERR_OTHER;
    if (in.packed && x.error == MPI_SUCCESS)
        x.error = pack(&in, true, -1);
    /* In place the own block of an allgather comes from the output, and what is shorter than its place leaves the rest
     * of that as it is. */
    if (out.packed && out.without < 0 && (!in.buffer || more < 0) && x.error == MPI_SUCCESS)
        x.error = pack(&out, true, r->rank);
    e->slots[SLOT_INPUT] = slot_of(&in);
    e->slots[SLOT_OUTPUT] = slot_of(&out);
    collective_execute(&x, e);
    if (out.packed && x.error == MPI_SUCCESS)
        x.error = pack(&out, false, -1);
    if (more > 0)
        x.error = MPI_ERR_TRUNCATE;
    if (!in.packed && !out.packed)
        prepared_keep(call, &x);
    return x.error;
}

/* Everything is one block, of one length on all ranks. */
int broadcast_run(const struct engine_call *call, const struct collective_plan *plan, struct schedule_request *r) {
    struct engine_comm *e = call->comm->engine;
    struct execution x = collective_execution(call, plan);
    int64_t unit_bytes = (int64_t)type_bytes(call->receive.datatype), count = call->receive.count;
    struct layout l = layout_of(call->receive.datatype, unit_bytes);
    bool at_root = r->rank == r->root;
    char *user = (char *)(uintptr_t)call->receive.base, *bytes = user;
    r->cut = segmentation_of(count * unit_bytes, 1, plan->segment_bytes);
    r->most_units = SCHEDULE_MOST_BYTES;
    if (!l.gapless)
        bytes = engine_comm_memory(e, (size_t)r->cut.units);
    if (!bytes || !collective_lay(e, plan, r))
        return collective_run_empty_handed(&x, plan, r);
    if (at_root && !l.gapless)
        x.error = layout_pack(user, count, call->receive.datatype, &l, unit_bytes, bytes, true, e->handle);
    e->slots[SLOT_INPUT] = e->slots[SLOT_OUTPUT] = (struct slot_memory){bytes, 1};
    e->slots[SLOT_OWN] = (struct slot_memory){NULL, 0};
    collective_execute(&x, e);
    if (l.gapless)
        prepared_keep(call, &x);
    else if (!at_root && x.error == MPI_SUCCESS)
        x.error = layout_pack(user, count, call->receive.datatype, &l, unit_bytes, bytes, false, e->handle);
    return x.error;
}
