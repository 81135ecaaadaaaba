/* The table of shapes, and their definitions. */
#include "plan/shape.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static int flat_parent(const struct virtual_rank *r) {
    (void)r;
    return 0;
}

static int flat_children(const struct virtual_rank *r, int *children) {
    int count = 0;
    for (int c = 1; r->v == 0 && c < r->size; c++)
        children[count++] = c;
    return count;
}

static int chain_parent(const struct virtual_rank *r) {
    return r->v - 1;
}

static int chain_children(const struct virtual_rank *r, int *children) {
    if (r->v + 1 >= r->size)
        return 0;
    children[0] = r->v + 1;
    return 1;
}

static int kary_parent(const struct virtual_rank *r) {
    return (r->v - 1) / r->fan_out;
}

static int kary_children(const struct virtual_rank *r, int *children) {
    int count = 0;
    for (long c = (long)r->v * r->fan_out + 1; c <= ((long)r->v + 1) * r->fan_out && c < r->size; c++)
        children[count++] = (int)c;
    return count;
}

/* The first rank of a chain. The ranks other than the root are divided among the chains; if they do not divide evenly,
 * the first chains have one rank more. */
static int chain_head(int chain, int chains, int size) {
    int short_length = (size - 1) / chains, longer = (size - 1) % chains;
    return 1 + chain * short_length + (chain < longer ? chain : longer);
}

static bool heads_chain(int v, int chains, int size) {
    int short_length = (size - 1) / chains, longer = (size - 1) % chains;
    int in_longer = longer * (short_length + 1);
    if (v - 1 < in_longer)
        return (v - 1) % (short_length + 1) == 0;
    return short_length > 0 && (v - 1 - in_longer) % short_length == 0;
}

static int k_chain_parent(const struct virtual_rank *r) {
    return heads_chain(r->v, r->fan_out, r->size) ? 0 : r->v - 1;
}

static int k_chain_children(const struct virtual_rank *r, int *children) {
    int count = 0;
    for (int i = 0; r->v == 0 && i < r->fan_out && i < r->size - 1; i++)
        children[count++] = chain_head(i, r->fan_out, r->size);
    if (r->v > 0 && r->v + 1 < r->size && !heads_chain(r->v + 1, r->fan_out, r->size))
        children[count++] = r->v + 1;
    return count;
}

static int lowest_bit(int v) {
    return v & -v;
}

static int highest_bit(int v) {
    int bit = 1;
    while (bit <= v / 2)
        bit *= 2;
    return bit;
}

static int mpich_parent(const struct virtual_rank *r) {
    return r->v - lowest_bit(r->v);
}

/* Writes the children in the order of their subtrees' sizes. In a reduce the smallest subtree comes first, because it
 * is ready first. In a broadcast the largest comes first, because it takes longest. */
static int mpich_children(const struct virtual_rank *r, int *children) {
    int count = 0;
    for (long bit = 1; r->v + bit < r->size && (r->v == 0 || bit < lowest_bit(r->v)); bit *= 2)
        children[count++] = (int)(r->v + bit);
    for (int i = 0; r->direction == TREE_BROADCAST && i < count / 2; i++) {
        int child = children[i];
        children[i] = children[count - 1 - i];
        children[count - 1 - i] = child;
    }
    return count;
}

static int lam_parent(const struct virtual_rank *r) {
    return r->direction == TREE_REDUCE ? mpich_parent(r) : r->v - highest_bit(r->v);
}

/* Writes the children. In LAM's broadcast the rank after the parent has the largest subtree, so ascending order puts
 * the largest subtree first. */
static int lam_children(const struct virtual_rank *r, int *children) {
    if (r->direction == TREE_REDUCE)
        return mpich_children(r, children);
    int count = 0;
    for (long bit = r->v == 0 ? 1 : 2L * highest_bit(r->v); r->v + bit < r->size; bit *= 2)
        children[count++] = (int)(r->v + bit);
    return count;
}

const struct shape shapes[] = {
    {.name = "flat", .meaning = "Every rank is a child of the root.", .parent = flat_parent, .children = flat_children},
    {.name = "chain",
     .meaning = "Each rank is a child of the one before it.",
     .parent = chain_parent,
     .children = chain_children},
    {.name = "binary",
     .meaning = "Two children per rank, filled row by row: `kary` with a `fan_out` of 2.",
     .fan_out = 2,
     .parent = kary_parent,
     .children = kary_children},
    {.name = "kary",
     .counts = "the children per rank",
     .meaning = "`fan_out` children per rank, filled row by row.",
     .parent = kary_parent,
     .children = kary_children},
    {.name = "k-chain",
     .counts = "the number of chains",
     .meaning = "`fan_out` chains of consecutive ranks below the root, whose lengths differ by at most one rank.",
     .parent = k_chain_parent,
     .children = k_chain_children},
    {.name = "binomial",
     .same_as = "binomial-mpich",
     .meaning = "Short for `binomial-mpich`.",
     .parent = mpich_parent,
     .children = mpich_children},
    {.name = "binomial-mpich",
     .meaning = "A rank's parent has the rank's number without its lowest set bit. A reduce receives from the smallest "
                "subtree first, a broadcast sends to the largest first.",
     .parent = mpich_parent,
     .children = mpich_children},
    {.name = "binomial-lam",
     .meaning = "A reduce is as in `binomial-mpich`. In a broadcast, a rank's parent has the rank's number without its "
                "highest set bit.",
     .parent = lam_parent,
     .children = lam_children},
    {.name = "hierarchical",
     .meaning = "Three levels: representatives of clusters, representatives of hosts, ranks of a host. Each level has "
                "a shape, by default flat.",
     .kind = SHAPE_HIERARCHICAL},
    {.name = "explicit", .meaning = "Lists the parent of every rank; only in a tree file.", .kind = SHAPE_EXPLICIT},
    {.name = NULL},
};

const struct shape *shape_named(const char *name) {
    const struct shape *row = shapes;
    while (row->name && strcmp(row->name, name) != 0)
        row++;
    return row->name ? row : NULL;
}
