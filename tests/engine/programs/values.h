/* Datatypes with data whose combination is exact in any order, so that results can be compared bit for bit. */
#ifndef VALUES_H
#define VALUES_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum kind { KIND_INTEGER, KIND_FLOAT, KIND_COMPLEX, KIND_LOGICAL, KIND_BYTE, KIND_PAIR, KINDS };

struct value_type {
    const char *name;
    MPI_Datatype type;
    enum kind kind;
    size_t extent;   /* of one element */
    size_t part;     /* of one part: the real of a complex, the value of a pair */
    size_t index_at; /* of a pair: the offset of its index */
};

/* xorshift64*. Ranks with the same seed get the same numbers. */
uint64_t random_next(uint64_t *state);
int random_below(uint64_t *state, int bound);

/* All predefined datatypes that have operations. A NULL name ends the list. */
const struct value_type *value_types(void);
struct named_op {
    const char *name;
    MPI_Op op;
};
/* The predefined operations for datatypes of a kind. A NULL name ends the list. */
const struct named_op *ops_of(enum kind kind);

void value_fill(const struct value_type *type, void *element, uint64_t *random);
/* Compares two values, without their padding. */
bool value_equal(const struct value_type *type, const void *a, const void *b);

#endif
