/* The contents of a tree file. */
#ifndef HOPSCOPE_TREE_PLAN_H
#define HOPSCOPE_TREE_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "plan/algorithm.h"
#include "plan/groups.h"
#include "plan/operation.h"
#include "plan/rank_list.h"
#include "plan/tree.h"

struct tree_range {
    uint64_t min, max; /* both inclusive */
};

struct tree_rule {
    bool operations[OPERATIONS];
    const struct algorithm *algorithms[OPERATIONS]; /* one per operation; NULL if native */
    struct tree_range comm_size, bytes;
    int members;                     /* index of one of the plan's lists of members, or ANY_MEMBERS */
    bool native;                     /* leaves the calls to the MPI library */
    struct groups_spec groups;       /* only for algorithms with the property IN_GROUPS */
    int reduce_tree, broadcast_tree; /* indices into trees; -1: the algorithm has none */
    uint64_t segment_bytes;          /* 0: whole messages */
    bool arrival_order;
};

struct tree_plan {
    char name[64];
    int tree_count, rule_count;
    struct tree_spec *trees;
    struct tree_rule *rules;
    struct rank_lists members;
    uint64_t alternate; /* library and engine take turns of this many collectives on each communicator, the library
                           first; 0: the engine runs all */
};

#endif
