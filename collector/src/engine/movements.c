/* Decides where the ranks' blocks are while data moves: in the user's buffers if these are plain bytes, otherwise
 * packed in the engine's memory. */
#include "engine/movements.h"

#include "engine/layout.h"
#include "engine/prepared.h"
#include "mpi/type_bytes.h"

/* One side of the data movement on this rank: its input or its output. */
struct side {
    const struct engine_call *call;
    const struct engine_buffer *buffer; /* NULL: this rank has none */
    struct layout layout;               /* meaningful if all blocks have one datatype */
    int64_t unit_bytes;
    int block_rank;    /* the rank to which the buffer's only block belongs; -1: the buffer has one block per rank */
    int excluded_rank; /* the rank of a block that must not be touched; -1: none */
    bool packed;
    struct blocks blocks; /* positions and lengths in bytes */
    int64_t packed_bytes;
    char *memory; /* the packed copy of the buffer, if `packed` is set */
};

/* A block in the user's buffer. */
struct block {
    char *address;
    int64_t count, bytes, unit_bytes;
    MPI_Datatype datatype;
    struct layout layout;
};

static struct block block_of(const struct side *s, int rank) {
    struct block b = {.count = s->block_rank >= 0 ? s->buffer->count : buffer_count(s->call, s->buffer, rank),
                      .datatype = buffer_datatype(s->buffer, rank),
                      .layout = s->layout,
                      .unit_bytes = s->unit_bytes};
    int64_t offset = s->block_rank >= 0 ? 0 : buffer_displacement(s->call, s->buffer, rank);
    if (s->buffer->datatypes && b.count > 0) {
        b.unit_bytes = (int64_t)type_bytes(b.datatype);
        b.layout = layout_of(b.datatype, b.unit_bytes);
    }
    b.address = (char *)(uintptr_t)s->buffer->base + offset * (s->buffer->datatypes ? 1 : (int64_t)s->layout.extent);
    b.bytes = b.count * b.unit_bytes;
    return b;
}

/* Finds the positions and lengths of the blocks in the user's buffer, in bytes. False if a block is not plain bytes, or
 * if `ranges` is set and a block does not begin where the previous one ends. */
static bool locate_blocks(const struct side *s, int64_t *positions, int64_t *lengths, bool ranges) {
    int first = s->block_rank >= 0 ? s->block_rank : 0,
        end = s->block_rank >= 0 ? s->block_rank + 1 : s->call->comm->size;
    for (int rank = first; rank < end; rank++) {
        struct block b = block_of(s, rank);
        if (b.bytes > 0 && !b.layout.gapless)
            return false;
        positions[rank] = b.address - (char *)(uintptr_t)s->buffer->base;
        lengths[rank] = b.bytes;
        if (ranges && rank > first && positions[rank] != positions[rank - 1] + lengths[rank - 1])
            return false;
    }
    return true;
}

static void assign_packed_positions(struct side *s, int64_t *positions, int64_t *lengths) {
    int first = s->block_rank >= 0 ? s->block_rank : 0,
        end = s->block_rank >= 0 ? s->block_rank + 1 : s->call->comm->size;
    for (int rank = first; rank < end; rank++) {
        positions[rank] = s->packed_bytes;
        lengths[rank] = block_of(s, rank).bytes;
        s->packed_bytes += lengths[rank];
    }
}

/* Sets the blocks of a side: in the user's buffer if that is possible and `pack` is false, otherwise packed. tables:
 * room for every rank's position and length. */
static void measure(struct side *s, int64_t *tables, bool ranges, bool pack) {
    int64_t *positions = tables, *lengths = tables + s->call->comm->size;
    s->blocks = (struct blocks){positions, lengths};
    s->unit_bytes = s->buffer->datatypes ? 0 : (int64_t)type_bytes(s->buffer->datatype);
    if (!s->buffer->datatypes)
        s->layout = layout_of(s->buffer->datatype, s->unit_bytes);
    s->packed = pack || !locate_blocks(s, positions, lengths, ranges);
    if (s->packed)
        assign_packed_positions(s, positions, lengths);
}

static int64_t aligned(int64_t bytes) {
    return (bytes + 63) / 64 * 64;
}

/* Allocates one piece of memory for packed data and the schedule's own slots. False if memory runs out. */
static bool allocate(struct engine_comm *e, struct side *input, struct side *output) {
    const struct schedule *s = &e->schedule;
    int64_t ring_bytes = aligned(s->ring_units), rings = s->ring_units > 0 ? s->slot_count - SLOT_OTHER : 0;
    int64_t input_bytes = aligned(input->packed_bytes), output_bytes = aligned(output->packed_bytes);
    char *memory = NULL;
    if (input_bytes + output_bytes + rings > 0) {
        memory = engine_comm_memory(e, (size_t)(input_bytes + output_bytes + rings * ring_bytes));
        if (!memory)
            return false;
    }
    input->memory = memory;
    output->memory = memory + input_bytes;
    for (int i = SLOT_OWN; i < s->slot_count; i++)
        e->slots[i] = (struct slot_memory){NULL, 1};
    for (int i = 0; i < rings; i++)
        e->slots[SLOT_OTHER + i] = (struct slot_memory){memory + input_bytes + output_bytes + i * ring_bytes, 1};
    return true;
}

static struct slot_memory slot_of(const struct side *s) {
    char *base = !s->buffer ? NULL : s->packed ? s->memory : (char *)(uintptr_t)s->buffer->base;
    return (struct slot_memory){base, 1};
}

/* Packs the user's buffer into the engine's memory, or unpacks it from there. only_rank: handles the block of that rank
 * alone; -1: every block except the excluded one. */
static int pack(const struct side *s, bool packs, int only_rank) {
    int first = s->block_rank >= 0 ? s->block_rank : 0,
        end = s->block_rank >= 0 ? s->block_rank + 1 : s->call->comm->size;
    MPI_Comm comm = s->call->comm->engine->handle;
    for (int rank = only_rank >= 0 ? only_rank : first; rank < (only_rank >= 0 ? only_rank + 1 : end); rank++) {
        struct block b = block_of(s, rank);
        if (b.bytes == 0 || (only_rank < 0 && rank == s->excluded_rank))
            continue;
        int error = layout_pack(b.address, b.count, b.datatype, &b.layout, b.unit_bytes,
                                s->memory + s->blocks.positions[rank], packs, comm);
        if (error != MPI_SUCCESS)
            return error;
    }
    return MPI_SUCCESS;
}

/* Assigns this rank's buffers to input and output. */
static void assign_buffers(const struct engine_call *call, const struct schedule_request *r, struct side *input,
                           struct side *output) {
    bool at_root = r->rank == r->root, has_root = operation_has_root(r->operation);
    if (operation_output(r->operation) == CONTENT_OWN) { /* scatters */
        output->block_rank = r->rank;
        input->buffer = at_root ? &call->send : NULL;
        output->buffer = at_root && call->receive.base == MPI_IN_PLACE ? NULL : &call->receive;
    } else if (operation_input(r->operation) == CONTENT_OWN) { /* gathers */
        input->block_rank = r->rank;
        input->buffer = (at_root || !has_root) && call->send.base == MPI_IN_PLACE ? NULL : &call->send;
        output->buffer = at_root || !has_root ? &call->receive : NULL;
        output->excluded_rank = has_root && !input->buffer ? r->rank : -1;
    } else { /* an alltoall in place sends from the buffer into which it receives */
        input->buffer = call->send.base == MPI_IN_PLACE ? &call->receive : &call->send;
        output->buffer = &call->receive;
    }
}

/* The number of bytes by which this rank's own block in the input is longer than its place in the output. 0 unless the
 * program is erroneous, or if only one side has the block. */
static int64_t excess(const struct side *input, const struct side *output, int rank) {
    return input->buffer && output->buffer ? input->blocks.lengths[rank] - output->blocks.lengths[rank] : 0;
}

/* True if other ranks receive this rank's own block. If the block is too long for its place, the rank then fails: the
 * receivers of the block must learn of the error. */
static bool forwards_own_block(const struct collective_plan *plan) {
    return plan->algorithm->properties & RANGES ||
           (operation_input(plan->operation) == CONTENT_OWN && !operation_has_root(plan->operation));
}

int movement_run(const struct engine_call *call, const struct collective_plan *plan, struct schedule_request *r) {
    struct engine_comm *e = call->comm->engine;
    struct execution x = collective_execution(call, plan);
    struct side input = {.call = call, .block_rank = -1, .excluded_rank = -1}, output = input;
    bool ranges = plan->algorithm->properties & RANGES;
    assign_buffers(call, r, &input, &output);
    /* in_place: one buffer is both input and output. It is false for an Alltoall with MPI_IN_PLACE, which sends from a
     * packed copy of its buffer. In an operation with a root, only the root may pass MPI_IN_PLACE. */
    r->in_place =
        operation_has_root(r->operation) ? r->rank == r->root && (!input.buffer || !output.buffer) : !input.buffer;
    if (input.buffer)
        measure(&input, e->tables, ranges, input.buffer == output.buffer);
    if (output.buffer)
        measure(&output, e->tables + 2 * r->size, ranges, false);
    r->input = input.blocks;
    r->output = output.blocks;
    r->most_units = SCHEDULE_MOST_BYTES;
    r->cut = segmentation_of(0, 0, 0);
    if (!collective_schedule(e, plan, r) || !allocate(e, &input, &output))
        return collective_run_empty_handed(&x, plan, r);
    int64_t excess_bytes = excess(&input, &output, r->rank);
    if (excess_bytes > 0 && forwards_own_block(plan))
        x.error = MPI_ERR_TRUNCATE;
    else if (excess_bytes < 0 && ranges)
        x.error = MPI_ERR_OTHER;
    if (input.packed && x.error == MPI_SUCCESS)
        x.error = pack(&input, true, -1);
    /* Packs the part of the output that this collective does not write. In an allgather in place, that is the own
     * block. If the own block is shorter than its place in the output, that is the rest of the place. */
    if (output.packed && output.excluded_rank < 0 && (!input.buffer || excess_bytes < 0) && x.error == MPI_SUCCESS)
        x.error = pack(&output, true, r->rank);
    e->slots[SLOT_INPUT] = slot_of(&input);
    e->slots[SLOT_OUTPUT] = slot_of(&output);
    collective_execute(&x, e);
    if (output.packed && x.error == MPI_SUCCESS)
        x.error = pack(&output, false, -1);
    if (excess_bytes > 0)
        x.error = MPI_ERR_TRUNCATE;
    if (!input.packed && !output.packed)
        prepared_keep(call, &x);
    return x.error;
}

/* A broadcast's data is one block, with the same length on all ranks. */
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
    if (!bytes || !collective_schedule(e, plan, r))
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
