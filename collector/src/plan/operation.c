/* What is to be known of each operation. */
#include "plan/operation.h"

#include <string.h>

static const struct {
    const char *name;
    bool reduces, has_root, hides_bytes;
} operations[OPERATIONS] = {
    [OPERATION_ALLREDUCE] = {"MPI_Allreduce", .reduces = true},
    [OPERATION_REDUCE] = {"MPI_Reduce", .reduces = true, .has_root = true},
    [OPERATION_BCAST] = {"MPI_Bcast", .has_root = true},
    [OPERATION_BARRIER] = {"MPI_Barrier"},
    [OPERATION_GATHER] = {"MPI_Gather", .has_root = true},
    [OPERATION_GATHERV] = {"MPI_Gatherv", .has_root = true, .hides_bytes = true},
    [OPERATION_SCATTER] = {"MPI_Scatter", .has_root = true},
    [OPERATION_SCATTERV] = {"MPI_Scatterv", .has_root = true, .hides_bytes = true},
    [OPERATION_ALLGATHER] = {"MPI_Allgather"},
    [OPERATION_ALLGATHERV] = {"MPI_Allgatherv"},
    [OPERATION_ALLTOALL] = {"MPI_Alltoall"},
    [OPERATION_ALLTOALLV] = {"MPI_Alltoallv", .hides_bytes = true},
    [OPERATION_ALLTOALLW] = {"MPI_Alltoallw", .hides_bytes = true},
    [OPERATION_REDUCE_SCATTER] = {"MPI_Reduce_scatter", .reduces = true},
    [OPERATION_REDUCE_SCATTER_BLOCK] = {"MPI_Reduce_scatter_block", .reduces = true},
    [OPERATION_SCAN] = {"MPI_Scan", .reduces = true},
    [OPERATION_EXSCAN] = {"MPI_Exscan", .reduces = true},
};

const char *operation_name(enum operation operation) {
    return operations[operation].name;
}

enum operation operation_named(const char *name) {
    int i = 0;
    while (i < OPERATIONS && strcmp(operations[i].name, name) != 0)
        i++;
    return (enum operation)i;
}

bool operation_reduces(enum operation operation) {
    return operations[operation].reduces;
}

bool operation_has_root(enum operation operation) {
    return operations[operation].has_root;
}

bool operation_hides_bytes(enum operation operation) {
    return operations[operation].hides_bytes;
}
