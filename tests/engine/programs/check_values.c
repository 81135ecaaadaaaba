/* Predefined operations on predefined datatypes. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "check.h"
#include "values.h"

struct run {
    const struct value_type *type;
    const struct named_op *op;
    MPI_Comm comm;
    enum { ALLREDUCE, REDUCE, BCAST, BARRIER, SCAN, EXSCAN, REDUCE_SCATTER, REDUCE_SCATTER_BLOCK, COLLECTIVES } kind;
    int count, root; /* count: for a reduce-scatter, of one block */
    int in_place;
};

/* Runs one collective by the engine and by the library, and compares every element, including those that must not
 * change. */
static void compare(const struct run *r, uint64_t *rank_state) {
    int rank, size;
    PMPI_Comm_rank(r->comm, &rank);
    PMPI_Comm_size(r->comm, &size);
    bool scatters = r->kind == REDUCE_SCATTER || r->kind == REDUCE_SCATTER_BLOCK;
    /* In a reduce-scatter, rank 1 gets nothing, and the last rank gets rank 1's share as well. */
    int counts[64], total = scatters ? r->count * size : r->count;
    for (int i = 0; i < size; i++)
        counts[i] = r->kind == REDUCE_SCATTER && size > 2 ? (i == 1 ? 0 : i == size - 1 ? 2 : 1) * r->count : r->count;
    size_t bytes = (size_t)(total + 1) * r->type->extent;
    char *input = malloc(bytes), *original = malloc(bytes), *engine_result = malloc(bytes),
         *library_result = malloc(bytes);
    int error = MPI_SUCCESS;
    for (int i = 0; i <= total; i++) {
        value_fill(r->type, input + (size_t)i * r->type->extent, rank_state);
        value_fill(r->type, engine_result + (size_t)i * r->type->extent, rank_state);
    }
    int in_place = r->in_place && r->kind != BCAST && r->kind != BARRIER && (r->kind != REDUCE || rank == r->root);
    if (in_place)
        memcpy(engine_result, input, bytes);
    memcpy(original, input, bytes);
    memcpy(library_result, engine_result, bytes);
    /* The library's call does not use MPI_IN_PLACE, with which MPICH 4.0's own Reduce can crash. */
    const void *send = in_place ? MPI_IN_PLACE : input;
    switch (r->kind) {
    case ALLREDUCE:
        error = MPI_Allreduce(send, engine_result, r->count, r->type->type, r->op->op, r->comm);
        PMPI_Allreduce(original, library_result, r->count, r->type->type, r->op->op, r->comm);
        break;
    case REDUCE:
        error = MPI_Reduce(send, engine_result, r->count, r->type->type, r->op->op, r->root, r->comm);
        PMPI_Reduce(original, library_result, r->count, r->type->type, r->op->op, r->root, r->comm);
        break;
    case BCAST:
        error = MPI_Bcast(engine_result, r->count, r->type->type, r->root, r->comm);
        PMPI_Bcast(library_result, r->count, r->type->type, r->root, r->comm);
        break;
    case SCAN:
        error = MPI_Scan(send, engine_result, r->count, r->type->type, r->op->op, r->comm);
        PMPI_Scan(original, library_result, r->count, r->type->type, r->op->op, r->comm);
        break;
    case EXSCAN:
        error = MPI_Exscan(send, engine_result, r->count, r->type->type, r->op->op, r->comm);
        PMPI_Exscan(original, library_result, r->count, r->type->type, r->op->op, r->comm);
        break;
    case REDUCE_SCATTER:
        error = MPI_Reduce_scatter(send, engine_result, counts, r->type->type, r->op->op, r->comm);
        PMPI_Reduce_scatter(original, library_result, counts, r->type->type, r->op->op, r->comm);
        break;
    case REDUCE_SCATTER_BLOCK:
        error = MPI_Reduce_scatter_block(send, engine_result, r->count, r->type->type, r->op->op, r->comm);
        PMPI_Reduce_scatter_block(original, library_result, r->count, r->type->type, r->op->op, r->comm);
        break;
    case BARRIER:
        error = MPI_Barrier(r->comm);
        break;
    case COLLECTIVES:
        break;
    }
    int bad = -1, end = total + 1;
    if (scatters && in_place)
        end = counts[rank]; /* the rest is undefined, and so is rank 0's result of an exclusive scan */
    for (int i = 0; i < end && bad < 0 && (r->kind != EXSCAN || rank > 0); i++)
        if (!value_equal(r->type, engine_result + (size_t)i * r->type->extent,
                         library_result + (size_t)i * r->type->extent))
            bad = i;
    CHECK(error == MPI_SUCCESS, "error %d", error);
    CHECK(bad < 0, "kind %d, %s, %s, count %d, root %d of %d, in place %d: element %d differs", (int)r->kind,
          r->type->name, r->op->name, r->count, r->root, size, r->in_place, bad);
    CHECK(memcmp(input, original, bytes) == 0, "kind %d: the send buffer has changed", (int)r->kind);
    free(input);
    free(original);
    free(engine_result);
    free(library_result);
}

static void pairs(uint64_t seed, int first_kind, int kinds) {
    uint64_t shared = seed, rank_state = seed + 77 * (uint64_t)(check_rank + 1);
    for (const struct value_type *type = value_types(); type->name; type++) {
        for (const struct named_op *op = ops_of(type->kind); op->name; op++) {
            if (type->type == MPI_INTEGER && strncmp(op->name, "MPI_L", 5) == 0)
                continue; /* MPI defines logical operations on C integers only */
            struct run run = {.type = type, .op = op, .comm = MPI_COMM_WORLD, .count = 1 + random_below(&shared, 5)};
            run.kind = first_kind + random_below(&shared, kinds);
            run.in_place = first_kind > 0 && random_below(&shared, 3) == 0;
            run.root = run.kind == REDUCE ? random_below(&shared, check_size) : 0;
            compare(&run, &rank_state);
        }
        struct run run = {.type = type, .op = ops_of(type->kind), .comm = MPI_COMM_WORLD, .kind = BCAST, .count = 3};
        run.root = random_below(&shared, check_size);
        compare(&run, &rank_state);
    }
}

void check_pairs(uint64_t seed) {
    pairs(seed, ALLREDUCE, 2);
}

void check_pairs_more(uint64_t seed) {
    pairs(seed, SCAN, COLLECTIVES - SCAN);
}

/* The world, a duplicate, the world backwards, odd and even ranks, and a communicator of random ranks. */
MPI_Comm check_some_comm(uint64_t *shared) {
    MPI_Comm comm = MPI_COMM_WORLD;
    int kind = random_below(shared, 12), color = kind == 2 ? check_rank % 2 : kind == 3 ? 0 : -1;
    if (kind == 4) /* random groups, equal on all ranks */
        for (int rank = 0; rank < check_size; rank++) {
            int number = random_below(shared, 3);
            color = rank == check_rank ? number : color;
        }
    if (kind == 1)
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    else if (color >= 0)
        MPI_Comm_split(MPI_COMM_WORLD, color, kind == 3 ? -check_rank : check_rank, &comm);
    return comm;
}

static void random_runs(uint64_t seed, int turns, int kinds) {
    uint64_t shared = seed, rank_state = seed + 77 * (uint64_t)(check_rank + 1);
    int types = 0;
    while (value_types()[types].name)
        types++;
    for (int turn = 0; turn < turns; turn++) {
        MPI_Comm comm = check_some_comm(&shared);
        int size, ops = 0;
        PMPI_Comm_size(comm, &size);
        struct run run = {.comm = comm, .type = &value_types()[random_below(&shared, types)]};
        while (ops_of(run.type->kind)[ops].name)
            ops++;
        run.op = &ops_of(run.type->kind)[random_below(&shared, ops)];
        if (run.type->type == MPI_INTEGER)
            run.op = &ops_of(KIND_FLOAT)[ops % 4]; /* MPI defines logical operations on C integers only */
        run.kind = random_below(&shared, 10 * kinds) % kinds;
        /* Lengths around the segment sizes of the tree files: 64 and 1000 bytes. */
        static const int counts[] = {0, 1, 2, 7, 8, 9, 62, 63, 64, 65, 124, 125, 126, 127, 249, 250, 251, 1000, 2003};
        run.count = counts[random_below(&shared, (int)(sizeof counts / sizeof *counts))];
        if (run.kind >= SCAN)
            run.count %= 260; /* the length of a block */
        run.root = random_below(&shared, 1 << 20) % size;
        run.in_place = random_below(&shared, 3) == 0;
        compare(&run, &rank_state);
        if (comm != MPI_COMM_WORLD)
            MPI_Comm_free(&comm);
    }
}

void check_random(uint64_t seed, int turns) {
    random_runs(seed, turns, 4);
}

void check_random_more(uint64_t seed, int turns) {
    random_runs(seed, turns, COLLECTIVES);
}

/* Rounded sums differ by at most the bound for n additions. In fixed order they are always the same. */
void check_sums(uint64_t seed) {
    enum { COUNT = 300 };
    double input[COUNT], library_result[COUNT], first[COUNT], repetition[COUNT], sizes[COUNT], total[COUNT];
    uint64_t rank_state = seed + 77 * (uint64_t)(check_rank + 1);
    for (int i = 0; i < COUNT; i++) {
        input[i] = ldexp((double)(int64_t)random_next(&rank_state), -40 + random_below(&rank_state, 20));
        sizes[i] = fabs(input[i]);
    }
    PMPI_Allreduce(input, library_result, COUNT, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    PMPI_Allreduce(sizes, total, COUNT, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(input, first, COUNT, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int turn = 0; turn < 10; turn++) {
        MPI_Allreduce(input, repetition, COUNT, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        CHECK(memcmp(first, repetition, sizeof first) == 0, "turn %d has another sum", turn);
    }
    for (int i = 0; i < COUNT; i++)
        CHECK(fabs(first[i] - library_result[i]) <= 2.0 * (check_size - 1) * 0x1p-53 * total[i],
              "sum %d: %a is not near %a", i, first[i], library_result[i]);
    memcpy(repetition, first, sizeof first);
    PMPI_Bcast(repetition, COUNT, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    CHECK(memcmp(first, repetition, sizeof first) == 0, "ranks have different sums");
}
