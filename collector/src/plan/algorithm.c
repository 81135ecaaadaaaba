/* The table of algorithms. */
#include "plan/algorithm.h"

#include <string.h>

#include "hopscope/nearest.h"
#include "plan/listing.h"

#define OP(name) (UINT32_C(1) << OPERATION_##name)

const struct algorithm algorithms[] = {
    {"tree", OP(ALLREDUCE) | OP(REDUCE) | OP(BCAST) | OP(BARRIER), BY_TREE | CUTS, schedule_tree,
     "Operands go up one tree to the root, and the result goes down the other."},
    {"tree", OP(GATHER), BY_TREE, schedule_gather_tree, "Each rank passes on the blocks of all ranks below it."},
    {"tree", OP(SCATTER), BY_TREE, schedule_scatter_tree,
     "Each rank receives the blocks of all ranks below it and passes them on."},
    {"pipeline", OP(ALLREDUCE) | OP(REDUCE) | OP(BCAST), CUTS, schedule_tree,
     "The message runs along a chain of ranks in segments (64 KiB by default)."},
    {"split-binary", OP(BCAST), CUTS, schedule_split_binary,
     "Each half of the message runs down a binary tree of half of the ranks; then partners exchange halves."},
    {"recursive-doubling", OP(ALLREDUCE), KEEPS_ORDER | CUTS, schedule_doubling_allreduce,
     "Partners at distances 1, 2, 4 and so on exchange sums."},
    {"recursive-doubling", OP(SCAN) | OP(EXSCAN), KEEPS_ORDER | CUTS, schedule_doubling_scan,
     "Partners at distances 1, 2, 4 and so on exchange the sums of their groups."},
    {"recursive-doubling", OP(ALLGATHER) | OP(ALLGATHERV), RANGES, schedule_doubling_allgather,
     "Partners at distances 1, 2, 4 and so on exchange all blocks that they have."},
    {"recursive-doubling", OP(BARRIER), 0, schedule_doubling_barrier,
     "Partners at distances 1, 2, 4 and so on exchange empty messages."},
    {"dissemination", OP(BARRIER), 0, schedule_dissemination_barrier,
     "In each round, each rank signals a rank above it, at the distances 1, 2, 4 and so on."},
    {"dissemination", OP(ALLGATHER) | OP(ALLGATHERV), RANGES, schedule_bruck_allgather, "As `bruck`."},
    {"dissemination", OP(ALLTOALL), RANGES, schedule_bruck_alltoall, "As `bruck`."},
    {"bruck", OP(ALLGATHER) | OP(ALLGATHERV), RANGES, schedule_bruck_allgather,
     "In each round, each rank sends its blocks to a rank below it, at the distances 1, 2, 4 and so on."},
    {"bruck", OP(ALLTOALL), RANGES, schedule_bruck_alltoall,
     "A block takes one hop for each bit set in its distance; blocks that take the same hop share a message."},
    {"ring", OP(ALLREDUCE), 0, schedule_ring_allreduce,
     "Parts of the vector go round once to be summed and once more to be distributed."},
    {"ring", OP(ALLGATHER) | OP(ALLGATHERV), 0, schedule_ring_allgather,
     "Each rank passes on the block that it received last."},
    {"ring", OP(REDUCE_SCATTER) | OP(REDUCE_SCATTER_BLOCK), 0, schedule_ring_reduce_scatter,
     "Partial sums go round until they reach their rank."},
    {"double-ring", OP(BARRIER), 0, schedule_double_ring_barrier, "A signal goes round twice."},
    {"pairwise", OP(ALLTOALL) | OP(ALLTOALLV) | OP(ALLTOALLW), 0, schedule_pairwise_alltoall,
     "Each rank exchanges blocks with one partner after another."},
    {"pairwise", OP(REDUCE_SCATTER) | OP(REDUCE_SCATTER_BLOCK), KEEPS_ORDER, schedule_pairwise_reduce_scatter,
     "Each rank exchanges parts with one partner after another and combines them in rank order."},
    {"linear", OP(ALLTOALL) | OP(ALLTOALLV) | OP(ALLTOALLW), 0, schedule_linear_alltoall,
     "All blocks are sent at once."},
    {"linear", OP(GATHER) | OP(GATHERV), 0, schedule_linear_gather, "Every rank sends to the root."},
    {"linear", OP(SCATTER) | OP(SCATTERV), 0, schedule_linear_scatter, "The root sends to every rank."},
    {"linear", OP(SCAN) | OP(EXSCAN), KEEPS_ORDER | CUTS, schedule_linear_scan,
     "Each rank waits for the one before it."},
    {"leaders", OP(ALLREDUCE), IN_GROUPS | CUTS, schedule_leaders_allreduce,
     "A tree in each group of ranks; the groups' leaders exchange sums."},
    {"leaders", OP(REDUCE), IN_GROUPS | CUTS, schedule_leaders_reduce,
     "A tree in each group; the other leaders send to the root."},
    {"leaders", OP(BCAST), IN_GROUPS | CUTS, schedule_leaders_bcast,
     "The root sends to the other groups' leaders; a tree in each group."},
    {"leaders", OP(BARRIER), IN_GROUPS, schedule_leaders_barrier,
     "A tree in each group; the leaders exchange empty messages."},
    {"leaders", OP(ALLGATHER) | OP(ALLGATHERV), IN_GROUPS | RANGES, schedule_leaders_allgather,
     "A tree in each group; the leaders exchange the blocks of their groups."},
    {"leaders", OP(REDUCE_SCATTER) | OP(REDUCE_SCATTER_BLOCK), IN_GROUPS | RANGES, schedule_leaders_reduce_scatter,
     "A tree in each group; each leader sends its sums of a group's blocks to the leader of that group."},
    {.name = NULL},
};

static bool has_name(const struct algorithm *row, const char *name) {
    return name ? !(row->properties & BY_TREE) && strcmp(row->name, name) == 0 : row->properties & BY_TREE;
}

const struct algorithm *algorithm_find(const char *name, enum operation operation) {
    for (const struct algorithm *row = algorithms; row->name; row++)
        if (has_name(row, name) && row->operations & operation_bit(operation))
            return row;
    return NULL;
}

uint32_t algorithm_operations(const char *name) {
    uint32_t operations = 0;
    for (const struct algorithm *row = algorithms; row->name; row++)
        if (has_name(row, name))
            operations |= row->operations;
    return operations;
}

/* True if the row should be listed: users select it by its name, it serves one of these operations, and no earlier row
 * that does so has the same name. */
static bool is_first(const struct algorithm *row, uint32_t operations) {
    for (const struct algorithm *earlier_row = algorithms; earlier_row < row; earlier_row++)
        if (strcmp(earlier_row->name, row->name) == 0 && earlier_row->operations & operations)
            return false;
    return !(row->properties & BY_TREE) && row->operations & operations;
}

char *algorithm_names(enum operation operation, char *text, size_t capacity) {
    uint32_t operations = operation == OPERATIONS ? UINT32_MAX : operation_bit(operation);
    struct listing list = listing_in(text, capacity);
    for (const struct algorithm *row = algorithms; row->name; row++)
        if (is_first(row, operations))
            listing_add(&list, "%s", row->name);
    return listing_end(&list, " or ");
}

void algorithm_nearest(struct nearest *nearest) {
    for (const struct algorithm *row = algorithms; row->name; row++)
        if (!(row->properties & BY_TREE))
            nearest_try(nearest, row->name);
}

bool algorithm_schedule(const struct algorithm *algorithm, struct schedule *schedule,
                        const struct schedule_request *request) {
    schedule_begin(schedule);
    return algorithm->generate(schedule, request) && schedule_end(schedule);
}
