/* Datatypes with holes, negative lower bounds and negative extents. */
#include "shapes.h"

#include <stdlib.h>
#include <string.h>

#include "values.h"

struct shape shapes[SHAPES + 1];

void shapes_make(void) {
    MPI_Datatype inner;
    int lengths[] = {1, 1}, backwards[] = {0, -3};
    MPI_Aint offsets[] = {0, 16};
    MPI_Datatype ints[] = {MPI_INT, MPI_INT};
    /* a hole between, a lower bound below and space behind */
    MPI_Type_create_struct(2, lengths, offsets, ints, &inner);
    MPI_Type_create_resized(inner, -8, 40, &shapes[0].type);
    shapes[0] = (struct shape){shapes[0].type, 2, {0, 16}};
    MPI_Type_free(&inner);
    /* elements in reverse order */
    MPI_Type_contiguous(2, MPI_INT, &inner);
    MPI_Type_create_resized(inner, 0, -12, &shapes[1].type);
    shapes[1] = (struct shape){shapes[1].type, 2, {0, 4}};
    MPI_Type_free(&inner);
    /* data below the element's origin */
    MPI_Type_indexed(2, lengths, backwards, MPI_INT, &shapes[2].type);
    shapes[2] = (struct shape){shapes[2].type, 2, {0, -12}};
    /* without gaps, but listed in another order than in memory */
    int swapped[] = {1, 0};
    MPI_Type_indexed(2, lengths, swapped, MPI_INT, &shapes[3].type);
    shapes[3] = (struct shape){shapes[3].type, 2, {4, 0}};
    MPI_Type_vector(4, 1, 2, MPI_INT, &shapes[4].type);
    shapes[4] = (struct shape){shapes[4].type, 4, {0, 8, 16, 24}};
    shapes[SHAPES] = (struct shape){MPI_INT, 1, {0}};
    for (int i = 0; i < SHAPES; i++)
        MPI_Type_commit(&shapes[i].type);
}

int *shape_part(void *base, MPI_Aint extent, int element, const struct shape *shape, int index) {
    return (int *)((char *)base + element * extent + shape->part_at[index]);
}

void shapes_free(void) {
    for (int i = 0; i < SHAPES; i++)
        MPI_Type_free(&shapes[i].type);
}

struct memory shape_memory(const struct shape *shape, int count, uint64_t *random) {
    MPI_Aint lower, extent, low, span;
    PMPI_Type_get_extent(shape->type, &lower, &extent);
    PMPI_Type_get_true_extent(shape->type, &low, &span);
    MPI_Aint last = (count > 0 ? count - 1 : 0) * extent;
    MPI_Aint lowest = low + (last < 0 ? last : 0), highest = low + span + (last > 0 ? last : 0);
    struct memory m = {.bytes = (size_t)(highest - lowest) + 2 * GUARD};
    m.memory = malloc(m.bytes);
    m.base = m.memory + GUARD - lowest;
    memset(m.memory, 0x5a, m.bytes);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < shape->parts; k++)
            *shape_part(m.base, extent, i, shape, k) = (int)random_next(random);
    return m;
}

struct memory memory_copy(const struct memory *m) {
    struct memory copy = {malloc(m->bytes), NULL, m->bytes};
    copy.base = copy.memory + (m->base - m->memory);
    memcpy(copy.memory, m->memory, m->bytes);
    return copy;
}
