/* The collective operations that the engine can run, and what of each is equal on every member. */
#ifndef HOPSCOPE_OPERATION_H
#define HOPSCOPE_OPERATION_H

#include <stdbool.h>
#include <stdint.h>

enum operation {
    OPERATION_ALLREDUCE,
    OPERATION_REDUCE,
    OPERATION_BCAST,
    OPERATION_BARRIER,
    OPERATION_GATHER,
    OPERATION_GATHERV,
    OPERATION_SCATTER,
    OPERATION_SCATTERV,
    OPERATION_ALLGATHER,
    OPERATION_ALLGATHERV,
    OPERATION_ALLTOALL,
    OPERATION_ALLTOALLV,
    OPERATION_ALLTOALLW,
    OPERATION_REDUCE_SCATTER,
    OPERATION_REDUCE_SCATTER_BLOCK,
    OPERATION_SCAN,
    OPERATION_EXSCAN,
    OPERATIONS
};

static inline uint32_t operation_bit(enum operation operation) {
    return UINT32_C(1) << operation;
}

/* The MPI function, `MPI_Allreduce`. */
const char *operation_name(enum operation operation);
/* The operation of that name; OPERATIONS if there is none. */
enum operation operation_named(const char *name);

/* It combines operands: it needs an op. */
bool operation_reduces(enum operation operation);
/* The call names a root. */
bool operation_has_root(enum operation operation);
/* Members know only their own counts, so neither the number of bytes nor whether there are any can decide anything.
 * (Of MPI_Allgatherv and MPI_Reduce_scatter all members know all counts.) */
bool operation_hides_bytes(enum operation operation);

#endif
