/* The groups of the algorithm `leaders`: the ranks of each cluster or host, and in each group a tree below its leader.
 * Pure.
 *
 * Groups are numbered in the order of their lowest ranks. The root leads its group; the lowest rank leads any other
 * group.
 */
#ifndef HOPSCOPE_GROUPS_H
#define HOPSCOPE_GROUPS_H

#include "plan/schedule.h"

enum groups_level { GROUPS_CLUSTER, GROUPS_HOST, GROUPS_LEVELS };

/* The exchange between leaders. A single leader that sends or receives uses the tree of equal depth. */
enum groups_exchange { EXCHANGE_ALL_TO_ALL, EXCHANGE_DOUBLING, EXCHANGE_RING, GROUPS_EXCHANGES };

/* The words of tree files and of names. */
extern const char *const groups_level_names[GROUPS_LEVELS], *const groups_exchange_names[GROUPS_EXCHANGES];

/* The groups that a rule defines. */
struct groups_spec {
    enum groups_level level;
    enum groups_exchange exchange;
    /* Not an explicit one. NULL: hosts below the leader, ranks below hosts, all flat. */
    const struct tree_spec *group_tree;
};

struct groups {
    const struct schedule_request *request;
    struct groups_spec spec;
    struct tree_spec nested; /* the default of `group_tree` */
    int *group_of;           /* of each rank */
    int count;
    int *leaders;                /* of each group */
    int own_group;               /* this rank's group; its members: */
    int *ranks;                  /* in their order */
    struct tree_members members; /* numbered by their indices in ranks */
    int head;                    /* the leader's index in ranks */
    int *order;                  /* set by groups_put_in_order: the rank at each position */
    int *first;                  /* the position at which each group begins */
    int *children[3], *stack, *scratch;
};

/* Finds the groups, from request->members, root, groups and scratch. Cannot fail. Uses the scratch as long as groups
 * exists. */
void groups_find(struct groups *groups, const struct schedule_request *request);

bool groups_leads(const struct groups *groups);
/* This rank's position in the tree of its group. It stays valid until the next call for that direction. */
struct tree_position groups_position_in_group(struct groups *groups, enum tree_direction direction);
/* This rank's position in the tree of all groups, in which the leaders hang below the root. */
struct tree_position groups_position_across(struct groups *groups, enum tree_direction direction);

/* Orders all ranks so that each group is contiguous, and in it each rank's subtree of the reduce tree: first the rank,
 * then its children with their subtrees. */
void groups_put_in_order(struct groups *groups);
/* Call the functions from here on after groups_put_in_order. groups_position: the position of a rank of this group.
 * groups_subtree_size: the number of ranks from that position on that are the rank and the ranks below it. */
int groups_position(const struct groups *groups, int rank);
int groups_subtree_size(struct groups *groups, int rank);
/* The position behind a group's last rank. */
int groups_end(const struct groups *groups, int group);
/* True if the order is rank order. */
bool groups_are_in_rank_order(const struct groups *groups);

#endif
