/* Reads the tree file (schemas/tree.schema.json), which names the tree or algorithm of each collective. */
#ifndef HOPSCOPE_TREE_FILE_H
#define HOPSCOPE_TREE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plan/tree_plan.h"

/* Reads a tree file. world_size: number of ranks of the job, 0 if unknown. Rules must not list ranks that the job
 * lacks, nor apply a larger explicit tree to it. On error returns NULL with a message `line:column: the fault; the
 * remedy`. Free the plan with tree_plan_free. */
struct tree_plan *tree_plan_parse(const char *text, size_t length, int world_size, char *message, size_t capacity);
void tree_plan_free(struct tree_plan *plan);

/* The index of the first rule that matches a call; -1 if none does. members: the result of rank_lists_find for the
 * communicator. All members must pass the same arguments, so that they choose the same rule. */
int tree_plan_choose(const struct tree_plan *plan, enum operation operation, int comm_size, int members,
                     uint64_t bytes);

#endif
