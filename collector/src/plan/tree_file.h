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
    const struct algorithm *algorithms[OPERATIONS]; /* of each of these; NULL if native */
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

/* Reads a tree file. world_size: ranks of the job, beyond which an explicit tree must not reach; 0 if unknown.
 * NULL with a message `line:column: what is wrong; what would be right` on error. Free with tree_plan_free. */
struct tree_plan *tree_plan_parse(const char *text, size_t length, int world_size, char *message, size_t capacity);
void tree_plan_free(struct tree_plan *plan);

/* The first rule that fits; -1 if none does. The arguments are equal on every member of a communicator. */
int tree_plan_choose(const struct tree_plan *plan, enum operation operation, int comm_size, uint64_t bytes);

/* The text of a tree file that runs all operations that it can over one shape (`flat`, `chain`, `binary`, `kary:4`,
 * `k-chain:4`, `binomial`, `binomial-mpich`, `binomial-lam` or `hierarchical`), or by one algorithm. Returns its length
 * without the NUL, 0 if the name is none of these or capacity does not suffice (600 bytes do). */
size_t tree_file_of_shape(const char *shape, char *out, size_t capacity);
/* The name of those that was probably meant by another; NULL: none is near. */
const char *tree_file_nearest_shape(const char *shape);
/* Does a name begin as that of a shape with a number (`kary:`, `k-chain:`)? Of which this is the largest. */
bool tree_shape_takes_number(const char *name);
enum { TREE_LARGEST_FAN_OUT = 1000000 };

#endif
