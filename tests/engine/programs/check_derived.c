/* Datatypes with holes, negative lower bounds and negative extents, and the application's own operations on them. */
#include <string.h>

#include "check.h"
#include "values.h"

enum { SHAPES = 5, MOST_PARTS = 4, GUARD = 256 };

/* Where the ints of one element lie. */
struct shape {
    MPI_Datatype type;
    int parts, part_at[MOST_PARTS];
};

static struct shape shapes[SHAPES];
static const struct shape *current; /* for the operation, which is told only the handle */

static void make_shapes(void) {
    MPI_Datatype inner;
    int lengths[] = {1, 1}, back[] = {0, -3};
    MPI_Aint at[] = {0, 16};
    MPI_Datatype ints[] = {MPI_INT, MPI_INT};
    /* a hole between, a lower bound below and space behind */
    MPI_Type_create_struct(2, lengths, at, ints, &inner);
    MPI_Type_create_resized(inner, -8, 40, &shapes[0].type);
    shapes[0] = (struct shape){shapes[0].type, 2, {0, 16}};
    MPI_Type_free(&inner);
    /* elements run backwards */
    MPI_Type_contiguous(2, MPI_INT, &inner);
    MPI_Type_create_resized(inner, 0, -12, &shapes[1].type);
    shapes[1] = (struct shape){shapes[1].type, 2, {0, 4}};
    MPI_Type_free(&inner);
    /* data below the element's origin */
    MPI_Type_indexed(2, lengths, back, MPI_INT, &shapes[2].type);
    shapes[2] = (struct shape){shapes[2].type, 2, {0, -12}};
    /* gapless, but listed in another order than it lies */
    int swapped[] = {1, 0};
    MPI_Type_indexed(2, lengths, swapped, MPI_INT, &shapes[3].type);
    shapes[3] = (struct shape){shapes[3].type, 2, {4, 0}};
    MPI_Type_vector(4, 1, 2, MPI_INT, &shapes[4].type);
    shapes[4] = (struct shape){shapes[4].type, 4, {0, 8, 16, 24}};
    for (int i = 0; i < SHAPES; i++)
        MPI_Type_commit(&shapes[i].type);
}

static int *part(void *base, MPI_Aint extent, int element, const struct shape *shape, int index) {
    return (int *)((char *)base + element * extent + shape->part_at[index]);
}

/* Commutes, and tells a wrong number of operands from a right one. */
static void add(void *in, void *inout, int *length, MPI_Datatype *type) {
    MPI_Aint lower, extent;
    PMPI_Type_get_extent(*type, &lower, &extent);
    for (int i = 0; i < *length; i++)
        for (int k = 0; k < current->parts; k++)
            *part(inout, extent, i, current, k) += *part(in, extent, i, current, k);
}

/* Composition of x -> a x + b (mod 2^32): does not commute. */
static void compose(void *in, void *inout, int *length, MPI_Datatype *type) {
    MPI_Aint lower, extent;
    PMPI_Type_get_extent(*type, &lower, &extent);
    for (int i = 0; i < *length; i++) {
        unsigned *f = (unsigned *)part(in, extent, i, current, 0), *fb = (unsigned *)part(in, extent, i, current, 1);
        unsigned *g = (unsigned *)part(inout, extent, i, current, 0),
                 *gb = (unsigned *)part(inout, extent, i, current, 1);
        *gb += *g * *fb;
        *g *= *f;
    }
}

struct memory {
    char *all, *base; /* base: where element 0 has its origin */
    size_t bytes;
};

static struct memory allocate(const struct shape *shape, int count, uint64_t *random) {
    MPI_Aint lower, extent, low, span;
    PMPI_Type_get_extent(shape->type, &lower, &extent);
    PMPI_Type_get_true_extent(shape->type, &low, &span);
    MPI_Aint last = (count > 0 ? count - 1 : 0) * extent;
    MPI_Aint least = low + (last < 0 ? last : 0), most = low + span + (last > 0 ? last : 0);
    struct memory m = {.bytes = (size_t)(most - least) + 2 * GUARD};
    m.all = malloc(m.bytes);
    m.base = m.all + GUARD - least;
    memset(m.all, 0x5a, m.bytes);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < shape->parts; k++)
            *part(m.base, extent, i, shape, k) = (int)random_next(random);
    return m;
}

static struct memory copy_of(const struct memory *m) {
    struct memory copy = {malloc(m->bytes), NULL, m->bytes};
    copy.base = copy.all + (m->base - m->all);
    memcpy(copy.all, m->all, m->bytes);
    return copy;
}

/* What must come out, from everybody's ints. The MPI libraries themselves are no measure here: Open MPI 4.1 and
 * MPICH 4.0 fail on some of these datatypes. */
static void expect_result(const struct memory *mine, const struct memory *before, struct memory *wanted, int count,
                          int commutes) {
    MPI_Aint lower, extent;
    PMPI_Type_get_extent(current->type, &lower, &extent);
    int ints = count * current->parts;
    unsigned *own = malloc(sizeof *own * (size_t)(ints + 1)),
             *all = malloc(sizeof *all * (size_t)(ints * check_size + 1));
    for (int i = 0; i < ints; i++)
        own[i] = (unsigned)*part(mine->base, extent, i / current->parts, current, i % current->parts);
    PMPI_Allgather(own, ints, MPI_UNSIGNED, all, ints, MPI_UNSIGNED, MPI_COMM_WORLD);
    *wanted = copy_of(before);
    for (int i = 0; i < ints; i += current->parts) {
        unsigned result[MOST_PARTS];
        memcpy(result, all + i, sizeof *all * (size_t)current->parts);
        for (int rank = 1; rank < check_size; rank++) {
            const unsigned *next = all + rank * ints + i;
            if (!commutes) {
                result[1] = next[1] + next[0] * result[1];
                result[0] *= next[0];
            }
            for (int k = 0; commutes && k < current->parts; k++)
                result[k] += next[k];
        }
        for (int k = 0; k < (commutes ? current->parts : 2); k++)
            *part(wanted->base, extent, i / current->parts, current, k) = (int)result[k];
    }
    free(own);
    free(all);
}

static void reduce_and_compare(int kind, int count, int root, int in_place, MPI_Op op, int commutes, uint64_t *own) {
    struct memory mine = allocate(current, count, own), ours = allocate(current, count, own), wanted;
    in_place = in_place && (kind == 0 || check_rank == root);
    if (in_place)
        memcpy(ours.all, mine.all, mine.bytes);
    struct memory before = copy_of(&mine), ours_before = copy_of(&ours);
    const void *send = in_place ? MPI_IN_PLACE : mine.base;
    expect_result(&mine, &ours, &wanted, count, commutes);
    if (kind == 0)
        MPI_Allreduce(send, ours.base, count, current->type, op, MPI_COMM_WORLD);
    else
        MPI_Reduce(send, ours.base, count, current->type, op, root, MPI_COMM_WORLD);
    /* Everything: data, holes and what lies around. */
    const struct memory *right = kind == 0 || check_rank == root ? &wanted : &ours_before;
    CHECK(memcmp(ours.all, right->all, ours.bytes) == 0, "kind %d, shape %d, count %d, root %d, in place %d differs",
          kind, (int)(current - shapes), count, root, in_place);
    CHECK(memcmp(mine.all, before.all, mine.bytes) == 0, "the send buffer has changed");
    free(mine.all);
    free(ours.all);
    free(before.all);
    free(ours_before.all);
    free(wanted.all);
}

/* Members may use different datatypes as long as the signatures agree: 4 ints an element here, 8 there. */
static void broadcast_between_datatypes(int pairs, int root, uint64_t *shared) {
    int shape_of_root = random_below(shared, SHAPES), shape_here = shape_of_root;
    for (int rank = 0; rank < check_size; rank++) {
        int drawn = random_below(shared, SHAPES + 1);
        if (rank == check_rank && rank != root)
            shape_here = drawn;
    }
    static const struct shape plain = {MPI_DATATYPE_NULL, 1, {0}};
    struct shape here = shape_here < SHAPES ? shapes[shape_here] : plain;
    if (shape_here == SHAPES)
        here.type = MPI_INT;
    int ints = 4 * pairs, count = ints / here.parts;
    uint64_t content = 17 + (uint64_t)pairs, zero = 1;
    MPI_Aint lower, extent;
    PMPI_Type_get_extent(here.type, &lower, &extent);
    struct memory m = allocate(&here, count, check_rank == root ? &content : &zero), untouched = copy_of(&m);
    MPI_Bcast(m.base, count, here.type, root, MPI_COMM_WORLD);
    uint64_t again = 17 + (uint64_t)pairs;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < here.parts; k++) {
            int wanted = (int)random_next(&again);
            CHECK(*part(m.base, extent, i, &here, k) == wanted, "int %d of element %d, shape %d", k, i, shape_here);
            *part(m.base, extent, i, &here, k) = *part(untouched.base, extent, i, &here, k);
        }
    CHECK(memcmp(m.all, untouched.all, m.bytes) == 0, "holes have changed, shape %d", shape_here);
    free(m.all);
    free(untouched.all);
}

void check_derived(uint64_t seed, int turns) {
    uint64_t shared = seed, own = seed + 77 * (uint64_t)(check_rank + 1);
    MPI_Op adds, composes;
    static const int counts[] = {0, 1, 2, 7, 8, 9, 31, 32, 33, 125, 126, 300};
    make_shapes();
    MPI_Op_create(add, 1, &adds);
    MPI_Op_create(compose, 0, &composes);
    for (int turn = 0; turn < turns; turn++) {
        int shape = random_below(&shared, SHAPES), commutes = random_below(&shared, 4) != 0;
        /* What does not commute goes to the MPI library, which gets a datatype that it can deal with. */
        current = &shapes[commutes ? shape : 3];
        int kind = random_below(&shared, 3), root = random_below(&shared, check_size);
        int count = counts[random_below(&shared, (int)(sizeof counts / sizeof *counts))];
        int in_place = random_below(&shared, 3) == 0;
        if (kind == 2)
            broadcast_between_datatypes(count, root, &shared);
        else
            reduce_and_compare(kind, count, root, in_place, commutes ? adds : composes, commutes, &own);
    }
    MPI_Op_free(&adds);
    MPI_Op_free(&composes);
    for (int i = 0; i < SHAPES; i++)
        MPI_Type_free(&shapes[i].type);
}
