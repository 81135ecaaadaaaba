/* Datatypes with holes, negative lower bounds and negative extents, and the application's own operations on them. */
#include <stdbool.h>
#include <string.h>

#include "check.h"
#include "shapes.h"
#include "values.h"

static const struct shape *current; /* for the operation, which gets only the handle */

/* Commutes, and detects a wrong number of operands. */
static void add(void *operand, void *inout, int *length, MPI_Datatype *type) {
    MPI_Aint lower, extent;
    PMPI_Type_get_extent(*type, &lower, &extent);
    for (int i = 0; i < *length; i++)
        for (int k = 0; k < current->parts; k++)
            *shape_part(inout, extent, i, current, k) += *shape_part(operand, extent, i, current, k);
}

/* Composition of x -> a x + b (mod 2^32): does not commute. */
static void compose(void *operand, void *inout, int *length, MPI_Datatype *type) {
    MPI_Aint lower, extent;
    PMPI_Type_get_extent(*type, &lower, &extent);
    for (int i = 0; i < *length; i++) {
        unsigned *f = (unsigned *)shape_part(operand, extent, i, current, 0),
                 *fb = (unsigned *)shape_part(operand, extent, i, current, 1);
        unsigned *g = (unsigned *)shape_part(inout, extent, i, current, 0),
                 *gb = (unsigned *)shape_part(inout, extent, i, current, 1);
        *gb += *g * *fb;
        *g *= *f;
    }
}

enum reduction { ALLREDUCE, REDUCE, SCAN, EXSCAN, REDUCE_SCATTER, REDUCE_SCATTER_BLOCK, REDUCTIONS };

/* The inputs of a reduction, and this rank's share of its result: elements [first, first + take) of the first ranks. */
struct outcome {
    int ranks, first, take;
};

/* Computes the expected result from all ranks' ints. The MPI libraries cannot serve as reference: Open MPI 4.1 and
 * MPICH 4.0 fail on some of these datatypes. */
static void expect_result(const struct memory *input, const struct memory *original, struct memory *expected, int count,
                          int commutes, struct outcome outcome) {
    MPI_Aint lower, extent;
    PMPI_Type_get_extent(current->type, &lower, &extent);
    int ints = count * current->parts;
    unsigned *rank_ints = malloc(sizeof *rank_ints * (size_t)(ints + 1)),
             *all_ints = malloc(sizeof *all_ints * (size_t)(ints * check_size + 1));
    for (int i = 0; i < ints; i++)
        rank_ints[i] = (unsigned)*shape_part(input->base, extent, i / current->parts, current, i % current->parts);
    PMPI_Allgather(rank_ints, ints, MPI_UNSIGNED, all_ints, ints, MPI_UNSIGNED, MPI_COMM_WORLD);
    *expected = memory_copy(original);
    for (int element = 0; element < outcome.take && outcome.ranks > 0; element++) {
        int i = (outcome.first + element) * current->parts;
        unsigned result[MOST_PARTS];
        memcpy(result, all_ints + i, sizeof *all_ints * (size_t)current->parts);
        for (int rank = 1; rank < outcome.ranks; rank++) {
            const unsigned *next = all_ints + rank * ints + i;
            if (!commutes) {
                result[1] = next[1] + next[0] * result[1];
                result[0] *= next[0];
            }
            for (int k = 0; commutes && k < current->parts; k++)
                result[k] += next[k];
        }
        for (int k = 0; k < (commutes ? current->parts : 2); k++)
            *shape_part(expected->base, extent, element, current, k) = (int)result[k];
    }
    free(rank_ints);
    free(all_ints);
}

/* counts: the number of elements that each rank gets from a reduce-scatter. */
static void call_library(enum reduction kind, const void *send, void *receive, int count, const int *counts, MPI_Op op,
                         int root) {
    MPI_Comm comm = MPI_COMM_WORLD;
    switch (kind) {
    case ALLREDUCE:
        MPI_Allreduce(send, receive, count, current->type, op, comm);
        break;
    case REDUCE:
        MPI_Reduce(send, receive, count, current->type, op, root, comm);
        break;
    case SCAN:
        MPI_Scan(send, receive, count, current->type, op, comm);
        break;
    case EXSCAN:
        MPI_Exscan(send, receive, count, current->type, op, comm);
        break;
    case REDUCE_SCATTER:
        MPI_Reduce_scatter(send, receive, counts, current->type, op, comm);
        break;
    default:
        MPI_Reduce_scatter_block(send, receive, count / check_size, current->type, op, comm);
    }
}

static struct outcome outcome_of(enum reduction kind, int count, const int *counts, int root) {
    struct outcome o = {check_size, 0, count};
    if (kind == REDUCE && check_rank != root)
        o.take = 0;
    if (kind == SCAN || kind == EXSCAN)
        o.ranks = check_rank + (kind == SCAN);
    if (kind == REDUCE_SCATTER || kind == REDUCE_SCATTER_BLOCK) {
        o.take = counts[check_rank];
        for (int rank = 0; rank < check_rank; rank++)
            o.first += counts[rank];
    }
    return o;
}

static void reduce_and_compare(enum reduction kind, int count, const int *counts, int root, int in_place, MPI_Op op,
                               int commutes, uint64_t *rank_state) {
    MPI_Aint lower, extent;
    PMPI_Type_get_extent(current->type, &lower, &extent);
    struct memory input = shape_memory(current, count, rank_state), output = shape_memory(current, count, rank_state),
                  expected;
    in_place = in_place && (kind != REDUCE || check_rank == root);
    if (in_place)
        memcpy(output.memory, input.memory, input.bytes);
    struct memory original = memory_copy(&input);
    const void *send = in_place ? MPI_IN_PLACE : input.base;
    struct outcome outcome = outcome_of(kind, count, counts, root);
    expect_result(&input, &output, &expected, count, commutes, outcome);
    call_library(kind, send, output.base, count, counts, op, root);
    /* Undefined: the rest of the input of a reduce-scatter in place, and rank 0's result of an exclusive scan. */
    bool scatters = kind == REDUCE_SCATTER || kind == REDUCE_SCATTER_BLOCK;
    int defined = (scatters && in_place) || kind == EXSCAN ? (outcome.ranks > 0 ? outcome.take : 0) : count;
    for (int i = defined; i < count; i++)
        for (int k = 0; k < current->parts; k++)
            *shape_part(expected.base, extent, i, current, k) = *shape_part(output.base, extent, i, current, k);
    /* All memory: data, holes and surroundings. */
    CHECK(memcmp(output.memory, expected.memory, output.bytes) == 0,
          "kind %d, shape %d, count %d, root %d, in place %d differs", (int)kind, (int)(current - shapes), count, root,
          in_place);
    CHECK(memcmp(input.memory, original.memory, input.bytes) == 0, "the send buffer has changed");
    free(input.memory);
    free(output.memory);
    free(original.memory);
    free(expected.memory);
}

/* Members may use different datatypes as long as the signatures agree: 4 ints an element here, 8 there. */
static void broadcast_between_datatypes(int pairs, int root, uint64_t *shared) {
    int shape_of_root = random_below(shared, SHAPES), shape_here = shape_of_root;
    for (int rank = 0; rank < check_size; rank++) {
        int number = random_below(shared, SHAPES + 1);
        if (rank == check_rank && rank != root)
            shape_here = number;
    }
    static const struct shape plain = {MPI_DATATYPE_NULL, 1, {0}};
    struct shape rank_shape = shape_here < SHAPES ? shapes[shape_here] : plain;
    if (shape_here == SHAPES)
        rank_shape.type = MPI_INT;
    int ints = 4 * pairs, count = ints / rank_shape.parts;
    uint64_t content = 17 + (uint64_t)pairs, zero = 1;
    MPI_Aint lower, extent;
    PMPI_Type_get_extent(rank_shape.type, &lower, &extent);
    struct memory m = shape_memory(&rank_shape, count, check_rank == root ? &content : &zero),
                  untouched = memory_copy(&m);
    MPI_Bcast(m.base, count, rank_shape.type, root, MPI_COMM_WORLD);
    uint64_t state = 17 + (uint64_t)pairs;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < rank_shape.parts; k++) {
            int expected = (int)random_next(&state);
            CHECK(*shape_part(m.base, extent, i, &rank_shape, k) == expected, "int %d of element %d, shape %d", k, i,
                  shape_here);
            *shape_part(m.base, extent, i, &rank_shape, k) = *shape_part(untouched.base, extent, i, &rank_shape, k);
        }
    CHECK(memcmp(m.memory, untouched.memory, m.bytes) == 0, "holes have changed, shape %d", shape_here);
    free(m.memory);
    free(untouched.memory);
}

static void derived(uint64_t seed, int turns, const int *kinds, int kind_count) {
    uint64_t shared = seed, rank_state = seed + 77 * (uint64_t)(check_rank + 1);
    MPI_Op adds, composes;
    static const int sizes[] = {0, 1, 2, 7, 8, 9, 31, 32, 33, 125, 126, 300};
    int *counts = malloc(sizeof *counts * (size_t)check_size);
    shapes_make();
    MPI_Op_create(add, 1, &adds);
    MPI_Op_create(compose, 0, &composes);
    for (int turn = 0; turn < turns; turn++) {
        int shape = random_below(&shared, SHAPES), commutes = random_below(&shared, 4) != 0;
        /* An operation that does not commute may go to the MPI library, so it gets a datatype that the library
         * supports. */
        int kind = kinds[random_below(&shared, kind_count)];
        bool served = kind < 0 || (check_served >> kind & 1 && check_size > 1);
        current = &shapes[commutes && served ? shape : 3];
        int root = random_below(&shared, check_size);
        int count = sizes[random_below(&shared, (int)(sizeof sizes / sizeof *sizes))];
        int in_place = random_below(&shared, 3) == 0, block = count / 3, total = 0;
        if (kind < 0) {
            broadcast_between_datatypes(count, root, &shared);
            continue;
        }
        for (int rank = 0; rank < check_size; rank++) {
            counts[rank] = kind == REDUCE_SCATTER ? random_below(&shared, count / 3 + 2) : block;
            total += counts[rank];
        }
        if (kind == REDUCE_SCATTER || kind == REDUCE_SCATTER_BLOCK)
            count = total;
        reduce_and_compare((enum reduction)kind, count, counts, root, in_place, commutes ? adds : composes, commutes,
                           &rank_state);
    }
    MPI_Op_free(&adds);
    MPI_Op_free(&composes);
    shapes_free();
    free(counts);
}

void check_derived(uint64_t seed, int turns) {
    static const int kinds[] = {ALLREDUCE, REDUCE, -1};
    derived(seed, turns, kinds, 3);
}

void check_derived_more(uint64_t seed, int turns) {
    static const int kinds[] = {ALLREDUCE, SCAN, EXSCAN, REDUCE_SCATTER, REDUCE_SCATTER_BLOCK};
    derived(seed, turns, kinds, 5);
}
