/* The tree file (schemas/tree.schema.json): the tree or algorithm of each collective. It needs only json.h. */
#ifndef HOPSCOPE_TREE_FILE_H
#define HOPSCOPE_TREE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plan/tree_plan.h"

/* Reads a tree file. world_size: number of ranks of the job, which limits members, and explicit trees in rules that
 * such a job could use; 0 if unknown. On error returns NULL with a message `line:column: the fault; the remedy`. Free
 * the plan with tree_plan_free. */
struct tree_plan *tree_plan_parse(const char *text, size_t length, int world_size, char *message, size_t capacity);
void tree_plan_free(struct tree_plan *plan);

/* The index of the first rule that matches; -1 if there is none. members: the result of rank_lists_find for the
 * communicator. The arguments must be equal on every member of a communicator. */
int tree_plan_choose(const struct tree_plan *plan, enum operation operation, int comm_size, int members,
                     uint64_t bytes);

#endif
