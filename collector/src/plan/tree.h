/* Trees: who talks to whom in a collective. Pure: builds and is tested without MPI.
 *
 * A tree_spec is a rule for a tree of any size (or, explicit, of one size). tree_place_of applies it to a communicator,
 * a root and a direction and says where one rank stands: its parent, and its children in order.
 *
 * Order of children, by custom of each shape:
 *   flat, chain, kary, k-chain   ascending, counted from the root and around
 *   binomial-mpich      reduce: smallest subtree first (it is ready first); broadcast: largest first (it takes longest)
 *   binomial-lam        the same; its broadcast clears the highest set bit, so its largest subtree is the next rank
 *   hierarchical        broadcast: clusters, then hosts, then ranks (the farthest first); reduce: the other way round
 *   explicit            as listed, in both directions; after re-rooting the old parent comes first in a broadcast and
 *                       last in a reduce
 */
#ifndef HOPSCOPE_TREE_H
#define HOPSCOPE_TREE_H

enum tree_shape {
    TREE_FLAT,
    TREE_CHAIN,
    TREE_KARY,
    TREE_BINOMIAL_MPICH, /* the parent of virtual rank v clears v's lowest set bit, in both directions */
    TREE_BINOMIAL_LAM,   /* the same in a reduce; in a broadcast the highest set bit */
    TREE_K_CHAIN,        /* fan_out chains of consecutive virtual ranks, the first ones longer by at most one */
    TREE_HIERARCHICAL,
    TREE_EXPLICIT
};

enum tree_direction { TREE_REDUCE, TREE_BROADCAST };

struct tree_level {
    enum tree_shape shape; /* a simple one: not hierarchical, not explicit */
    int fan_out;           /* of kary and k-chain, at least 1 */
};

struct tree_spec {
    char name[48];
    enum tree_shape shape;
    int fan_out;                              /* kary, k-chain */
    struct tree_level clusters, hosts, ranks; /* hierarchical */
    int size;                                 /* explicit: the communicator it is for; 0 otherwise */
    int root;                                 /* explicit: the root it is drawn for */
    int *parents;                             /* explicit: size entries, -1 at the root */
    int *first_child, *children; /* explicit: children of r are children[first_child[r] .. first_child[r + 1]) */
};

/* Where the ranks of a communicator sit. Host and cluster numbers are below size: see tree_members_number. */
struct tree_members {
    int size;
    int *host_of_rank, *cluster_of_rank;
};

struct tree_place {
    int parent; /* -1 at the root */
    int child_count;
    int *children; /* room for size - 1, given by the caller */
};

/* Renumbers ids[0..size) in place, in order of first appearance, so that they are all below size. scratch: size ints.
 */
void tree_members_number(int *ids, int size, int *scratch);

/* The place of rank in the tree for this root. scratch: 2 * members->size ints. Allocates nothing and cannot fail;
 * an explicit spec must be of size members->size. */
void tree_place_of(const struct tree_spec *spec, const struct tree_members *members, int rank, int root,
                   enum tree_direction direction, int *scratch, struct tree_place *place);

#endif
