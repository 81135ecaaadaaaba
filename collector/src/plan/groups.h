/* The groups of the algorithm `leaders`: the ranks of each cluster or host, and a tree in each below its leader. Pure.
 *
 * Groups are numbered in the order of their lowest ranks. The root leads its group, the lowest rank any other.
 */
#ifndef HOPSCOPE_GROUPS_H
#define HOPSCOPE_GROUPS_H

#include "plan/schedule.h"

enum groups_level { GROUPS_CLUSTER, GROUPS_HOST, GROUPS_LEVELS };

/* How leaders exchange. One of them alone sends, or receives, along the tree that is as deep. */
enum groups_between { BETWEEN_ALL, BETWEEN_DOUBLING, BETWEEN_RING, GROUPS_BETWEENS };

/* As in tree files and in names. */
extern const char *const groups_level_names[GROUPS_LEVELS], *const groups_between_names[GROUPS_BETWEENS];

/* What a rule says. */
struct groups_spec {
    enum groups_level level;
    enum groups_between between;
    const struct tree_spec *inside; /* not an explicit one; NULL: hosts below the leader, ranks below hosts, all flat */
};

struct groups {
    const struct schedule_request *request;
    struct groups_spec spec;
    struct tree_spec nested; /* what `inside` means by default */
    int *group_of;           /* each rank's */
    int count;
    int *leaders;                /* of each group */
    int mine;                    /* this rank's group; its members: */
    int *ranks;                  /* in their order */
    struct tree_members members; /* numbered by their places among ranks */
    int head;                    /* the leader's place */
    int *order;                  /* groups_put_in_order: the rank at each position */
    int *first;                  /* the position at which each group begins */
    int *children[3], *stack, *scratch;
};

/* Finds the groups, from request->members, root, groups and scratch. Cannot fail. */
void groups_find(struct groups *groups, const struct schedule_request *request);

bool groups_leads(const struct groups *groups);
/* This rank's place in the tree of its group. It stays valid until the next call for that direction. */
struct tree_place groups_inside(struct groups *groups, enum tree_direction direction);
/* The same in one tree of all groups, in which the leaders hang below the root. */
struct tree_place groups_across(struct groups *groups, enum tree_direction direction);

/* Orders all ranks so that each group, and in it all ranks below a rank in the reduce tree, lie behind one another:
 * first a rank, then its children with theirs. */
void groups_put_in_order(struct groups *groups);
/* After that: the position of a rank of this group, and how many ranks from there on are itself and those below it. */
int groups_position(const struct groups *groups, int rank);
int groups_below(struct groups *groups, int rank);
/* After that: the position behind a group. */
int groups_end(const struct groups *groups, int group);
/* After that: whether the order is that of the ranks. */
bool groups_are_in_rank_order(const struct groups *groups);

#endif
