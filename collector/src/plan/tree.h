/* Trees: each rank's communication partners in a collective. It needs no MPI, so it builds and is tested without it.
 *
 * A tree_spec describes a tree of any size (or, if explicit, of one size). tree_position_of applies it to a
 * communicator, a root and a direction, and returns one rank's position: its parent, and its children in order.
 *
 * The order of children depends on the tree. Simple shapes: see shape.c. Hierarchical: in a broadcast clusters, then
 * hosts, then ranks (the farthest first); in a reduce the reverse. Explicit: as listed, in both directions; after
 * re-rooting, the old parent comes first in a broadcast and last in a reduce.
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
    int fan_out;                              /* as in a tree_level */
    struct tree_level clusters, hosts, ranks; /* hierarchical */
    int size;                                 /* explicit: the size of the communicators for which it is; 0 otherwise */
    int root;                                 /* explicit: the root of the listed edges */
    int *parents;                             /* explicit: size entries, -1 at the root */
    int *first_child, *children; /* explicit: children of r are children[first_child[r] .. first_child[r + 1]) */
};

/* The host and cluster of each rank of a communicator. Their numbers are below size: see tree_members_number. */
struct tree_members {
    int size;
    int *host_of_rank, *cluster_of_rank;
};

struct tree_position {
    int parent; /* -1 at the root */
    int child_count;
    int *children; /* room for size - 1, provided by the caller */
};

/* Renumbers ids[0..size) in place by first appearance, so that all numbers are below size. scratch: size ints. */
void tree_members_number(int *ids, int size, int *scratch);

/* Computes the position of a rank in the tree for this root. scratch: 2 * members->size ints. Allocates nothing and
 * cannot fail; an explicit spec must be of size members->size. */
void tree_position_of(const struct tree_spec *spec, const struct tree_members *members, int rank, int root,
                      enum tree_direction direction, int *scratch, struct tree_position *position);

/* The root for a collective without a root over this pair of trees: an explicit tree's own root, so that the tree runs
 * as listed; otherwise 0. */
int tree_own_root(const struct tree_spec *up, const struct tree_spec *down);

#endif
