/* The tree file (schemas/tree.schema.json): which collectives run over which trees, or by which algorithms. Pure: needs
 * only json.h. */
#ifndef HOPSCOPE_TREE_FILE_H
#define HOPSCOPE_TREE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plan/algorithm.h"
#include "plan/operation.h"
#include "plan/tree.h"

struct tree_range {
    uint64_t min, max; /* both inclusive */
};

struct tree_rule {
    bool operations[OPERATIONS];
    const struct algorithm *algorithms[OPERATIONS]; /* one per operation; NULL if native */
    struct tree_range comm_size, bytes;
    bool native;
    int reduce_tree, broadcast_tree; /* indices into trees; -1: the algorithm has none */
    uint64_t segment_bytes;          /* 0: whole messages */
    bool arrival_order;
};

struct tree_plan {
    char name[64];
    int tree_count, rule_count;
    struct tree_spec *trees;
    struct tree_rule *rules;
};

/* Reads a tree file. world_size: ranks of the job, which limits explicit trees; 0 if unknown. NULL with a message
 * `line:column: what is wrong; what would be right` on error. Free with tree_plan_free. */
struct tree_plan *tree_plan_parse(const char *text, size_t length, int world_size, char *message, size_t capacity);
void tree_plan_free(struct tree_plan *plan);

/* The first matching rule; -1 if none matches. The arguments must be equal on every member of a communicator. */
int tree_plan_choose(const struct tree_plan *plan, enum operation operation, int comm_size, uint64_t bytes);

#endif
