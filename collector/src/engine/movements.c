/* Where the ranks' blocks are while data moves: in the user's buffers if these are plain bytes, otherwise packed in
 * ours. */
#include "engine/movements.h"

#include "engine/layout.h"
#include "engine/prepared.h"
#include "mpi/type_bytes.h"

/* One of the two buffers. */
struct side {
    const struct engine_call *call;
    const struct engine_buffer *buffer; /* NULL: none on this rank */
    struct layout layout;               /* if all blocks have one datatype */
    int64_t unit_bytes;
    int own;     /* the rank of the only block, at the beginning; -1: one block per rank */
    int without; /* do not touch this block; -1: none */
    bool packed;
    struct blocks blocks; /* positions and lengths in bytes */
    int64_t packed_bytes;
    char *memory; /* packed copy */
};

/* A block in the user's buffer. */
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

/* Positions of blocks in the user's buffer. False if one is not plain bytes, or (ranges) they are not consecutive. */
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

/* tables: room for every rank's position and length. */
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

/* Allocates one piece of memory for packed data and the schedule's own slots. False if memory runs out. */
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

/* Packs or unpacks between the user's buffer and ours; only: that block alone, -1: all but `without`. */
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

/* Assigns this rank's buffers to the two sides. */
static void take_sides(const struct engine_call *call, const struct schedule_request *r, struct side *in,
                       struct side *out) {
    bool at_root = r->rank == r->root, has_root = operation_has_root(r->operation);
    if (operation_output(r->operation) == CONTENT_OWN) { /* scatters */
        out->own = r->rank;
        in->buffer = at_root ? &call->send : NULL;
        out->buffer = at_root && call->receive.base == MPI_IN_PLACE ? NULL : &call->receive;
    } else if (operation_input(r->operation) == CONTENT_OWN) { /* gathers */
        in->own = r->rank;
        in->buffer = (at_root || !has_root) && call->send.base == MPI_IN_PLACE ? NULL : &call->send;
        out->buffer = at_root || !has_root ? &call->receive : NULL;
        out->without = has_root && !in->buffer ? r->rank : -1;
    } else { /* alltoall in place sends from where it will receive */
        in->buffer = call->send.base == MPI_IN_PLACE ? &call->receive : &call->send;
        out->buffer = &call->receive;
    }
}

/* By how many bytes this rank's own block exceeds its place, if both buffers have it. If not 0, the program is
 * wrong. */
static int64_t excess(const struct side *in, const struct side *out, int rank) {
    return in->buffer && out->buffer ? in->blocks.length[rank] - out->blocks.length[rank] : 0;
}

/* Whether others receive this rank's own block. If it does not fit, the rank still delivers what belongs to others;
 * those who would get its block learn of the error instead. */
static bool passes_own_on(const struct collective_plan *plan) {
    return plan->algorithm->properties & RANGES ||
           (operation_input(plan->operation) == CONTENT_OWN && !operation_has_root(plan->operation));
}

int movement_run(const struct engine_call *call, const struct collective_plan *plan, struct schedule_request *r) {
    struct engine_comm *e = call->comm->engine;
    struct execution x = collective_execution(call, plan);
    struct side in = {.call = call, .own = -1, .without = -1}, out = in;
    bool ranges = plan->algorithm->properties & RANGES;
    take_sides(call, r, &in, &out);
    /* Not for alltoall, whose input is then a copy; with a root only there. */
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
    /* In place, an allgather's own block is already in the output. A block shorter than its place leaves the rest of it
     * unchanged. */
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

/* All data is one block of the same length on all ranks. */
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
