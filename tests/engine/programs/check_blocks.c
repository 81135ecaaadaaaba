/* Operations that move data: gather, scatter, allgather, alltoall and their v-forms. Every rank knows the correct
 * output: ints that tell their sender, their receiver and their number. The datatypes of the members differ, but their
 * signatures agree. */
#include <stdbool.h>
#include <string.h>

#include "check.h"
#include "shapes.h"
#include "values.h"

enum operation {
    GATHER,
    GATHERV,
    SCATTER,
    SCATTERV,
    ALLGATHER,
    ALLGATHERV,
    ALLTOALL,
    ALLTOALLV,
    ALLTOALLW,
    OPERATIONS
};

enum { MOST_RANKS = 32 };

/* One collective, known to all ranks. */
struct scene {
    enum operation operation;
    MPI_Comm comm;
    int rank, size, root, turn;
    bool in_place, irregular;
    uint64_t salt;
};

/* A buffer with a block for each rank, or with one block. */
struct buffer {
    char *memory, *base; /* base: the address that the call gets */
    size_t bytes;
    bool by_bytes; /* displacements are in bytes, and each block has its own datatype */
    int peers[MOST_RANKS], blocks, counts[MOST_RANKS], displacements[MOST_RANKS];
    MPI_Aint origins[MOST_RANKS]; /* offset of block i's origin from base */
    const struct shape *shapes[MOST_RANKS];
    MPI_Datatype types[MOST_RANKS];
};

static uint64_t mixed(const struct scene *s, int a, int b) {
    uint64_t state = s->salt * 31 + (uint64_t)a * 1009 + (uint64_t)b * 9176867 + 1;
    random_next(&state);
    return random_next(&state) >> 20;
}

/* Number of ints from one rank for another: a multiple of four, so that every datatype fits. */
static int ints_between(const struct scene *s, int sender, int receiver) {
    switch (s->operation) {
    case GATHERV:
    case ALLGATHERV:
        return 4 * (int)(mixed(s, sender, 0) % 7);
    case SCATTERV:
        return 4 * (int)(mixed(s, 0, receiver) % 7);
    case ALLTOALLV:
    case ALLTOALLW:
        if (s->in_place) /* in place, received data replace the sent data */
            return 4 *
                   (int)(mixed(s, sender < receiver ? sender : receiver, sender < receiver ? receiver : sender) % 7);
        return 4 * (int)(mixed(s, sender, receiver) % 7);
    default:
        return 4 * (int)(mixed(s, 0, 0) % 12);
    }
}

static int value(const struct scene *s, int sender, int receiver, int index) {
    bool everybody_gets_the_same = s->operation == ALLGATHER || s->operation == ALLGATHERV;
    return (int)mixed(s, sender + 40, (everybody_gets_the_same ? 0 : receiver) * 100 + index);
}

static const struct shape *some_shape(const struct scene *s, uint64_t *rank_state) {
    int number = random_below(rank_state, SHAPES + 1);
    bool served = check_served >> s->operation & 1 && s->size > 1;
    return &shapes[served || number == 3 ? number : SHAPES];
}

/* Lays out this number of blocks, of random datatypes; for the v-forms in any order and with gaps. */
static void lay_out(const struct scene *s, struct buffer *b, bool receives, bool whole, uint64_t *rank_state) {
    const struct shape *shape = some_shape(s, rank_state);
    bool has_gaps = whole && s->irregular;
    MPI_Aint lower, extent, low, span, lowest = 0, highest = 0, cursor = 0;
    int elements = 0, order[MOST_RANKS];
    memset(b, 0, sizeof *b);
    b->blocks = whole ? s->size : 1;
    b->by_bytes = s->operation == ALLTOALLW;
    for (int i = 0; i < b->blocks; i++)
        order[i] = i;
    for (int i = b->blocks - 1; i > 0 && has_gaps; i--) {
        int index = random_below(rank_state, i + 1), keep = order[i];
        order[i] = order[index];
        order[index] = keep;
    }
    for (int i = 0; i < b->blocks; i++) {
        int block = order[i], peer = whole ? block : s->rank;
        if (b->by_bytes)
            shape = some_shape(s, rank_state);
        bool to_root = s->operation == GATHER || s->operation == GATHERV;
        bool from_root = s->operation == SCATTER || s->operation == SCATTERV;
        int rank = s->rank, sender = receives ? peer : rank, receiver = receives ? rank : peer;
        if (to_root)
            sender = peer, receiver = s->root;
        if (from_root)
            sender = s->root, receiver = peer;
        PMPI_Type_get_extent(shape->type, &lower, &extent);
        PMPI_Type_get_true_extent(shape->type, &low, &span);
        b->peers[block] = peer;
        b->shapes[block] = shape;
        b->types[block] = shape->type;
        b->counts[block] = ints_between(s, sender, receiver) / shape->parts;
        elements += has_gaps && !b->by_bytes ? random_below(rank_state, 3) : 0;
        MPI_Aint last = (b->counts[block] > 0 ? b->counts[block] - 1 : 0) * extent;
        MPI_Aint down = low + (last < 0 ? last : 0), up = low + span + (last > 0 ? last : 0);
        b->displacements[block] = b->by_bytes ? (int)(cursor - down) : elements;
        b->origins[block] = b->by_bytes ? cursor - down : elements * extent;
        cursor += up - down + 4 * random_below(rank_state, 5);
        elements += b->counts[block];
        lowest = b->origins[block] + down < lowest ? b->origins[block] + down : lowest;
        highest = b->origins[block] + up > highest ? b->origins[block] + up : highest;
    }
    b->bytes = (size_t)(highest - lowest) + 2 * GUARD;
    b->memory = malloc(b->bytes);
    b->base = b->memory + GUARD - lowest;
    memset(b->memory, 0x5a, b->bytes);
}

/* Writes the data from one rank for another into a block of a buffer (or of a copy of it). */
static void put(const struct scene *s, const struct buffer *b, char *base, int block, int sender, int receiver) {
    const struct shape *shape = b->shapes[block];
    MPI_Aint lower, extent;
    PMPI_Type_get_extent(shape->type, &lower, &extent);
    for (int i = 0; i < b->counts[block] * shape->parts; i++)
        *shape_part(base + b->origins[block], extent, i / shape->parts, shape, i % shape->parts) =
            value(s, sender, receiver, i);
}

static int call_mpi(const struct scene *s, const struct buffer *input, const struct buffer *output, const void *send,
                    void *receive) {
    switch (s->operation) {
    case GATHER:
        return MPI_Gather(send, input->counts[0], input->types[0], receive, output->counts[0], output->types[0],
                          s->root, s->comm);
    case GATHERV:
        return MPI_Gatherv(send, input->counts[0], input->types[0], receive, output->counts, output->displacements,
                           output->types[0], s->root, s->comm);
    case SCATTER:
        return MPI_Scatter(send, input->counts[0], input->types[0], receive, output->counts[0], output->types[0],
                           s->root, s->comm);
    case SCATTERV:
        return MPI_Scatterv(send, input->counts, input->displacements, input->types[0], receive, output->counts[0],
                            output->types[0], s->root, s->comm);
    case ALLGATHER:
        return MPI_Allgather(send, input->counts[0], input->types[0], receive, output->counts[0], output->types[0],
                             s->comm);
    case ALLGATHERV:
        return MPI_Allgatherv(send, input->counts[0], input->types[0], receive, output->counts, output->displacements,
                              output->types[0], s->comm);
    case ALLTOALL:
        return MPI_Alltoall(send, input->counts[0], input->types[0], receive, output->counts[0], output->types[0],
                            s->comm);
    case ALLTOALLV:
        return MPI_Alltoallv(send, input->counts, input->displacements, input->types[0], receive, output->counts,
                             output->displacements, output->types[0], s->comm);
    default:
        return MPI_Alltoallw(send, input->counts, input->displacements, input->types, receive, output->counts,
                             output->displacements, output->types, s->comm);
    }
}

static void move_and_compare(const struct scene *s, uint64_t *rank_state) {
    struct buffer input, output;
    bool gathers = s->operation <= GATHERV, scatters = s->operation == SCATTER || s->operation == SCATTERV;
    bool alltoall = s->operation >= ALLTOALL, at_root = s->rank == s->root;
    bool in_place = s->in_place && (!(gathers || scatters) || at_root);
    bool sends = !scatters || at_root, receives = !gathers || at_root;
    lay_out(s, &input, false, scatters || alltoall, rank_state);
    lay_out(s, &output, true, !scatters, rank_state);
    if (in_place && !scatters) { /* in place, the contribution is in the output buffer */
        for (int i = 0; i < output.blocks; i++)
            if (alltoall || i == s->rank)
                put(s, &output, output.base, i, s->rank, gathers ? s->root : i);
        sends = false;
    }
    for (int i = 0; i < input.blocks && sends; i++)
        put(s, &input, input.base, i, s->rank, gathers ? s->root : scatters || alltoall ? i : 0);
    if (in_place && scatters)
        receives = false;
    char *expected = malloc(output.bytes), *original = malloc(input.bytes);
    memcpy(expected, output.memory, output.bytes);
    memcpy(original, input.memory, input.bytes);
    for (int i = 0; i < output.blocks && receives; i++)
        put(s, &output, expected + (output.base - output.memory), i, scatters ? s->root : output.peers[i], s->rank);
    int error = call_mpi(s, &input, &output, in_place && !scatters ? MPI_IN_PLACE : input.base,
                         in_place && scatters ? MPI_IN_PLACE : output.base);
    CHECK(error == MPI_SUCCESS, "error %d", error);
    CHECK(memcmp(output.memory, expected, output.bytes) == 0,
          "turn %d: operation %d, root %d of %d, in place %d differs", s->turn, (int)s->operation, s->root, s->size,
          s->in_place);
    CHECK(memcmp(input.memory, original, input.bytes) == 0, "operation %d: the send buffer has changed",
          (int)s->operation);
    free(input.memory);
    free(output.memory);
    free(expected);
    free(original);
}

void check_blocks(uint64_t seed, int turns) {
    uint64_t shared = seed, rank_state = seed + 77 * (uint64_t)(check_rank + 1);
    shapes_make();
    for (int turn = 0; turn < turns; turn++) {
        struct scene s = {.turn = turn, .operation = (enum operation)(turn % OPERATIONS)};
        s.comm = check_some_comm(&shared);
        PMPI_Comm_rank(s.comm, &s.rank);
        PMPI_Comm_size(s.comm, &s.size);
        s.root = random_below(&shared, 1 << 20) % s.size;
        s.in_place = random_below(&shared, 3) == 0;
        s.salt = random_next(&shared) >> 30;
        s.irregular = s.size > 1 && (s.operation == GATHERV || s.operation == SCATTERV || s.operation == ALLGATHERV ||
                                     s.operation >= ALLTOALLV);
        move_and_compare(&s, &rank_state);
        if (s.comm != MPI_COMM_WORLD)
            MPI_Comm_free(&s.comm);
    }
    shapes_free();
}
