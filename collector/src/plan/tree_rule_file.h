/* Reads one rule of a tree file. */
#ifndef HOPSCOPE_TREE_RULE_FILE_H
#define HOPSCOPE_TREE_RULE_FILE_H

#include <stdbool.h>

#include "plan/tree_plan.h"

struct complaint;
struct json;

/* Fills in a rule, which must be all zero. `plan` must have all trees of the file, and room for one more tree (the
 * pipeline's) and one more list of members. world_size: number of ranks of the job; 0 if unknown. False with a
 * complaint. */
bool tree_rule_read(struct complaint *complaint, const struct json *object, int world_size, struct tree_plan *plan,
                    struct tree_rule *rule);

#endif
