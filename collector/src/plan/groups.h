/* The groups of the algorithm `leaders`: the ranks of each cluster or host, with a tree below a leader in each group.
 * Needs no MPI.
 *
 * Groups are numbered in the order of their lowest ranks. The leader of the root's group is the root; the leader of any
 * other group is its lowest rank.
 */
#ifndef HOPSCOPE_GROUPS_H
#define HOPSCOPE_GROUPS_H

#include "plan/schedule.h"

enum groups_level { GROUPS_CLUSTER, GROUPS_HOST, GROUPS_LEVELS };

/* The exchange between leaders. If only one leader sends or receives, a tree over the leaders replaces it, which takes
 * as many rounds. */
enum groups_exchange { EXCHANGE_ALL_TO_ALL, EXCHANGE_DOUBLING, EXCHANGE_RING, GROUPS_EXCHANGES };

/* The words for levels and exchanges in tree files and in names. */
extern const char *const groups_level_names[GROUPS_LEVELS], *const groups_exchange_names[GROUPS_EXCHANGES];

/* The groups as a rule defines them. */
struct groups_spec {
    enum groups_level level;
    enum groups_exchange exchange;
    /* The tree in each group; it cannot be explicit. NULL: a flat tree of the group's hosts, and a flat tree of the
     * ranks in each host. */
    const struct tree_spec *group_tree;
};

struct groups {
    const struct schedule_request *request;
    struct groups_spec spec;
    struct tree_spec nested; /* used if `group_tree` is NULL */
    int *group_of;           /* the group of each rank */
    int count;
    int *leaders;                /* the leader of each group */
    int own_group;               /* this rank's group */
    int *ranks;                  /* the members of the selected group, in ascending order */
    struct tree_members members; /* their hosts and clusters, by index in `ranks` */
    int head;                    /* the leader's index in `ranks` */
    int *order;                  /* set by groups_put_in_order: the rank at each position */
    int *first;                  /* the position in `order` at which each group begins */
    int *children[3], *stack, *scratch;
};

/* Finds the groups. Reads request->members, root, groups and scratch. Cannot fail. `groups` points into the scratch, so
 * leave the scratch unchanged as long as you use `groups`. */
void groups_find(struct groups *groups, const struct schedule_request *request);

bool groups_leads(const struct groups *groups);
/* This rank's position in the tree of its group. It is valid until the next call with the same direction. */
struct tree_position groups_position_in_group(struct groups *groups, enum tree_direction direction);
/* This rank's position in one tree of all ranks: the trees of the groups, and the tree over the leaders that joins
 * them. */
struct tree_position groups_position_across(struct groups *groups, enum tree_direction direction);

/* Orders all ranks so that each group is contiguous, and in it each subtree of its reduce tree: first the subtree's
 * root, then its children's subtrees. */
void groups_put_in_order(struct groups *groups);
/* The following functions need groups_put_in_order. groups_position: the position in the order of a rank of this rank's
 * own group. groups_subtree_size: the number of ranks in that rank's subtree, which begins there. */
int groups_position(const struct groups *groups, int rank);
int groups_subtree_size(struct groups *groups, int rank);
/* The position behind a group's last rank. */
int groups_end(const struct groups *groups, int group);
/* True if the order is rank order. */
bool groups_are_in_rank_order(const struct groups *groups);

#endif
