/* The groups of the algorithm `leaders`: the ranks of each cluster or host, and in each group a tree below its leader.
 * It needs no MPI.
 *
 * Groups are numbered in the order of their lowest ranks. The leader of the root's group is the root; the leader of any
 * other group is its lowest rank.
 */
#ifndef HOPSCOPE_GROUPS_H
#define HOPSCOPE_GROUPS_H

#include "plan/schedule.h"

enum groups_level { GROUPS_CLUSTER, GROUPS_HOST, GROUPS_LEVELS };

/* The exchange between leaders. If only one leader sends or receives, the exchange runs over a tree of equal depth. */
enum groups_exchange { EXCHANGE_ALL_TO_ALL, EXCHANGE_DOUBLING, EXCHANGE_RING, GROUPS_EXCHANGES };

/* The words for levels and exchanges in tree files and in names. */
extern const char *const groups_level_names[GROUPS_LEVELS], *const groups_exchange_names[GROUPS_EXCHANGES];

/* The groups as a rule defines them. */
struct groups_spec {
    enum groups_level level;
    enum groups_exchange exchange;
    /* The tree in each group; it cannot be explicit. NULL: hosts below the leader, ranks below hosts, all flat. */
    const struct tree_spec *group_tree;
};

struct groups {
    const struct schedule_request *request;
    struct groups_spec spec;
    struct tree_spec nested; /* used if `group_tree` is NULL */
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

/* Finds the groups, from request->members, root, groups and scratch. Cannot fail. Uses the scratch as long as `groups`
 * is in use. */
void groups_find(struct groups *groups, const struct schedule_request *request);

bool groups_leads(const struct groups *groups);
/* This rank's position in the tree of its group. It is valid until the next call for that direction. */
struct tree_position groups_position_in_group(struct groups *groups, enum tree_direction direction);
/* This rank's position in the tree of all groups, in which the other leaders are below the root. */
struct tree_position groups_position_across(struct groups *groups, enum tree_direction direction);

/* Orders all ranks. Each group is contiguous, and so is each subtree of its reduce tree: first the rank, then its
 * children with their subtrees. */
void groups_put_in_order(struct groups *groups);
/* Call groups_put_in_order before the functions from here on. groups_position: the position of a rank of this group.
 * groups_subtree_size: the number of ranks in the subtree that begins at that position. */
int groups_position(const struct groups *groups, int rank);
int groups_subtree_size(struct groups *groups, int rank);
/* The position behind a group's last rank. */
int groups_end(const struct groups *groups, int group);
/* True if the order is rank order. */
bool groups_are_in_rank_order(const struct groups *groups);

#endif
