/* Trees: each rank's communication partners in a collective. Needs no MPI, so its tests run without MPI.
 *
 * A tree_spec describes a tree of any size (or, if explicit, of one size). tree_position_of applies it to a
 * communicator, a root and a direction, and returns one rank's position: its parent, and its children in order.
 *
 * The order of children depends on the tree. For simple shapes, see shape.c. In a hierarchical tree, a broadcast has
 * the farthest children first: those in other clusters, then those on other hosts, then those on the same host; a
 * reduce has the reverse order. An explicit tree has the listed order in both directions. If it is re-rooted, a rank's
 * old parent becomes its first child in a broadcast and its last in a reduce.
 */
#ifndef HOPSCOPE_TREE_H
#define HOPSCOPE_TREE_H

#include "plan/shape.h"

struct tree_level {
    const struct shape *shape; /* always a simple shape */
    int fan_out;               /* at least 1 for shapes that use it */
};

struct tree_spec {
    char name[48];
    const struct shape *shape;
    int fan_out;                              /* as in struct tree_level */
    struct tree_level clusters, hosts, ranks; /* the three levels of a hierarchical tree */
    int size;                                 /* explicit: number of ranks of the tree; 0 for other shapes */
    int root;                                 /* explicit: the root of the listed edges */
    int *parents;                             /* explicit: size entries, -1 at the root */
    int *first_child, *children; /* explicit: children of r are children[first_child[r] .. first_child[r + 1]) */
};

/* The host and cluster of each rank of a communicator, as numbers below `size`: see tree_members_number. */
struct tree_members {
    int size;
    int *host_of_rank, *cluster_of_rank;
};

struct tree_position {
    int parent; /* -1 at the root */
    int child_count;
    int *children; /* room for size - 1, provided by the caller */
};

/* Renumbers ids[0..size) in place in the order of their first appearance, so that all are below size. scratch: size
 * ints. */
void tree_members_number(int *ids, int size, int *scratch);

/* Computes the position of a rank in the tree for this root. scratch: 2 * members->size ints. Allocates nothing and
 * cannot fail; an explicit spec must be of size members->size. */
void tree_position_of(const struct tree_spec *spec, const struct tree_members *members, int rank, int root,
                      enum tree_direction direction, int *scratch, struct tree_position *position);

/* The root to use for a collective that has none, over this pair of trees. It is an explicit tree's own root, so that
 * the tree need not be re-rooted; otherwise 0. */
int tree_own_root(const struct tree_spec *up, const struct tree_spec *down);

#endif
