/* Datatypes of ints with holes, negative lower bounds and negative extents, and memory for their elements. */
#ifndef SHAPES_H
#define SHAPES_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

enum { SHAPES = 5, MOST_PARTS = 4, GUARD = 256 };

/* The offsets of the ints in one element. */
struct shape {
    MPI_Datatype type;
    int parts, part_at[MOST_PARTS];
};

extern struct shape shapes[SHAPES + 1]; /* the last is MPI_INT */

void shapes_make(void);
void shapes_free(void);
int *shape_part(void *base, MPI_Aint extent, int element, const struct shape *shape, int index);

struct memory {
    char *memory, *base; /* base: the origin of element 0 */
    size_t bytes;
};

/* Memory with random ints at the elements' offsets, and a constant everywhere else. */
struct memory shape_memory(const struct shape *shape, int count, uint64_t *random);
struct memory memory_copy(const struct memory *m);

#endif
