/* The table of algorithms. */
#include "plan/algorithm.h"

#include <stdio.h>
#include <string.h>

#define OP(name) (UINT32_C(1) << OPERATION_##name)

const struct algorithm algorithms[] = {
    {"tree", OP(ALLREDUCE) | OP(REDUCE) | OP(BCAST) | OP(BARRIER), BY_TREE | CUTS, schedule_tree},
    {"tree", OP(GATHER), BY_TREE, schedule_gather_tree},
    {"tree", OP(SCATTER), BY_TREE, schedule_scatter_tree},
    {"pipeline", OP(ALLREDUCE) | OP(REDUCE) | OP(BCAST), CUTS, schedule_tree},
    {"split-binary", OP(BCAST), CUTS, schedule_split_binary},
    {"recursive-doubling", OP(ALLREDUCE), KEEPS_ORDER | CUTS, schedule_doubling_allreduce},
    {"recursive-doubling", OP(SCAN) | OP(EXSCAN), KEEPS_ORDER | CUTS, schedule_doubling_scan},
    {"recursive-doubling", OP(ALLGATHER) | OP(ALLGATHERV), RANGES, schedule_doubling_allgather},
    {"recursive-doubling", OP(BARRIER), 0, schedule_doubling_barrier},
    {"dissemination", OP(BARRIER), 0, schedule_dissemination_barrier},
    {"dissemination", OP(ALLGATHER) | OP(ALLGATHERV), RANGES, schedule_bruck_allgather},
    {"dissemination", OP(ALLTOALL), RANGES, schedule_bruck_alltoall},
    {"bruck", OP(ALLGATHER) | OP(ALLGATHERV), RANGES, schedule_bruck_allgather},
    {"bruck", OP(ALLTOALL), RANGES, schedule_bruck_alltoall},
    {"ring", OP(ALLREDUCE), 0, schedule_ring_allreduce},
    {"ring", OP(ALLGATHER) | OP(ALLGATHERV), 0, schedule_ring_allgather},
    {"ring", OP(REDUCE_SCATTER) | OP(REDUCE_SCATTER_BLOCK), 0, schedule_ring_reduce_scatter},
    {"double-ring", OP(BARRIER), 0, schedule_double_ring_barrier},
    {"pairwise", OP(ALLTOALL) | OP(ALLTOALLV) | OP(ALLTOALLW), 0, schedule_pairwise_alltoall},
    {"pairwise", OP(REDUCE_SCATTER) | OP(REDUCE_SCATTER_BLOCK), KEEPS_ORDER, schedule_pairwise_reduce_scatter},
    {"linear", OP(ALLTOALL) | OP(ALLTOALLV) | OP(ALLTOALLW), 0, schedule_linear_alltoall},
    {"linear", OP(GATHER) | OP(GATHERV), 0, schedule_linear_gather},
    {"linear", OP(SCATTER) | OP(SCATTERV), 0, schedule_linear_scatter},
    {"linear", OP(SCAN) | OP(EXSCAN), KEEPS_ORDER | CUTS, schedule_linear_scan},
    {NULL, 0, 0, NULL},
};

static bool is_named(const struct algorithm *row, const char *name) {
    return name ? !(row->properties & BY_TREE) && strcmp(row->name, name) == 0 : row->properties & BY_TREE;
}

const struct algorithm *algorithm_find(const char *name, enum operation operation) {
    for (const struct algorithm *row = algorithms; row->name; row++)
        if (is_named(row, name) && row->operations & operation_bit(operation))
            return row;
    return NULL;
}

uint32_t algorithm_operations(const char *name) {
    uint32_t operations = 0;
    for (const struct algorithm *row = algorithms; row->name; row++)
        if (is_named(row, name))
            operations |= row->operations;
    return operations;
}

/* The first row of a name, so that each is listed once. */
static bool is_first(const struct algorithm *row, uint32_t operations) {
    for (const struct algorithm *before = algorithms; before < row; before++)
        if (strcmp(before->name, row->name) == 0 && before->operations & operations)
            return false;
    return !(row->properties & BY_TREE) && row->operations & operations;
}

char *algorithm_names(enum operation operation, char *text, size_t capacity) {
    uint32_t operations = operation == OPERATIONS ? UINT32_MAX : operation_bit(operation);
    size_t used = 0, left = 0;
    for (const struct algorithm *row = algorithms; row->name; row++)
        left += is_first(row, operations);
    text[0] = '\0';
    for (const struct algorithm *row = algorithms; row->name && used < capacity; row++) {
        if (!is_first(row, operations))
            continue;
        left--;
        int length = snprintf(text + used, capacity - used, "%s%s", row->name,
                              left > 1    ? ", "
                              : left == 1 ? " or "
                                          : "");
        used += length > 0 ? (size_t)length : 0;
    }
    return text;
}

void algorithm_nearest(struct nearest *nearest) {
    for (const struct algorithm *row = algorithms; row->name; row++)
        if (!(row->properties & BY_TREE))
            nearest_try(nearest, row->name);
}

bool algorithm_lay(const struct algorithm *algorithm, struct schedule *schedule,
                   const struct schedule_request *request) {
    schedule_begin(schedule);
    return algorithm->lay(schedule, request) && schedule_end(schedule);
}
