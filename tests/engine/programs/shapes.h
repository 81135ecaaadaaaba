/* Datatypes with holes, negative lower bounds and negative extents, all of ints, and memory with such elements. */
#ifndef SHAPES_H
#define SHAPES_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

enum { SHAPES = 5, MOST_PARTS = 4, GUARD = 256 };

/* The places of the ints in one element. */
struct shape {
    MPI_Datatype type;
    int parts, part_at[MOST_PARTS];
};

extern struct shape shapes[SHAPES + 1]; /* the last is MPI_INT */

void shapes_make(void);
void shapes_free(void);
int *shape_part(void *base, MPI_Aint extent, int element, const struct shape *shape, int index);

struct memory {
    char *memory, *base; /* base: where element 0 has its origin */
    size_t bytes;
};

/* Random ints in an otherwise constant memory. */
struct memory shape_memory(const struct shape *shape, int count, uint64_t *random);
struct memory memory_copy(const struct memory *m);

#endif
