/* The shapes. A simple shape is arithmetic on virtual ranks (0 is the root); the others are made of simple ones. */
#include "plan/tree.h"

#include <stdbool.h>
#include <stddef.h>

static int lowest_bit(int v) {
    return v & -v;
}

static int highest_bit(int v) {
    int bit = 1;
    while (bit <= v / 2)
        bit *= 2;
    return bit;
}

/* The first virtual rank of a chain, of chains that share size - 1 ranks; the first ones have one rank more. */
static int chain_head(int chain, int chains, int size) {
    int short_length = (size - 1) / chains, longer = (size - 1) % chains;
    return 1 + chain * short_length + (chain < longer ? chain : longer);
}

static bool heads_chain(const struct tree_level *level, int size, int v) {
    int short_length = (size - 1) / level->fan_out, longer = (size - 1) % level->fan_out;
    int in_longer = longer * (short_length + 1);
    if (v - 1 < in_longer)
        return (v - 1) % (short_length + 1) == 0;
    return short_length > 0 && (v - 1 - in_longer) % short_length == 0;
}

static int simple_parent(const struct tree_level *level, enum tree_direction direction, int size, int v) {
    if (v == 0)
        return -1;
    switch (level->shape) {
    case TREE_CHAIN:
        return v - 1;
    case TREE_K_CHAIN:
        return heads_chain(level, size, v) ? 0 : v - 1;
    case TREE_KARY:
        return (v - 1) / level->fan_out;
    case TREE_BINOMIAL_MPICH:
        return v - lowest_bit(v);
    case TREE_BINOMIAL_LAM:
        return v - (direction == TREE_REDUCE ? lowest_bit(v) : highest_bit(v));
    default:
        return 0;
    }
}

/* Children of v among size virtual ranks, written to children in order; returns how many. */
static int simple_children(const struct tree_level *level, enum tree_direction direction, int size, int v,
                           int *children) {
    int count = 0;
    switch (level->shape) {
    case TREE_CHAIN:
        if (v + 1 < size)
            children[count++] = v + 1;
        return count;
    case TREE_K_CHAIN:
        for (int i = 0; v == 0 && i < level->fan_out && i < size - 1; i++)
            children[count++] = chain_head(i, level->fan_out, size);
        if (v > 0 && v + 1 < size && !heads_chain(level, size, v + 1))
            children[count++] = v + 1;
        return count;
    case TREE_KARY:
        for (long c = (long)v * level->fan_out + 1; c <= ((long)v + 1) * level->fan_out && c < size; c++)
            children[count++] = (int)c;
        return count;
    case TREE_BINOMIAL_LAM:
        if (direction == TREE_BROADCAST) {
            for (long bit = v == 0 ? 1 : 2L * highest_bit(v); v + bit < size; bit *= 2)
                children[count++] = (int)(v + bit);
            return count;
        }
        /* fall through */
    case TREE_BINOMIAL_MPICH:
        for (long bit = 1; v + bit < size && (v == 0 || bit < lowest_bit(v)); bit *= 2)
            children[count++] = (int)(v + bit);
        if (direction == TREE_BROADCAST)
            for (int i = 0; i < count / 2; i++) {
                int other = children[i];
                children[i] = children[count - 1 - i];
                children[count - 1 - i] = other;
            }
        return count;
    default:
        for (int c = 1; v == 0 && c < size; c++)
            children[count++] = c;
        return count;
    }
}

void tree_members_number(int *ids, int size, int *scratch) {
    int known = 0;
    for (int i = 0; i < size; i++) {
        int number = 0;
        while (number < known && scratch[number] != ids[i])
            number++;
        if (number == known)
            scratch[known++] = ids[i];
        ids[i] = number;
    }
}

/* Hangs rank into one level of a hierarchy: members are its ranks from the level's head onwards. */
static void place_in_level(const struct tree_level *level, enum tree_direction direction, const int *members, int count,
                           int rank, struct tree_place *place) {
    int v = 0;
    while (members[v] != rank)
        v++;
    if (v > 0)
        place->parent = members[simple_parent(level, direction, count, v)];
    int *children = place->children + place->child_count;
    int added = simple_children(level, direction, count, v, children);
    for (int i = 0; i < added; i++)
        children[i] = members[children[i]];
    place->child_count += added;
}

/* The representative of a host (or of a cluster, given its ids): the root if it is one of them, else the lowest rank.
 */
static int representative(const int *id_of_rank, int size, int id, int root) {
    if (id_of_rank[root] == id)
        return root;
    for (int rank = 0; rank < size; rank++)
        if (id_of_rank[rank] == id)
            return rank;
    return -1;
}

enum { LEVEL_CLUSTERS, LEVEL_HOSTS, LEVEL_RANKS, LEVELS };

/* Collects the ranks that meet at one level with rank, from the level's head and around; 0 if rank is not there. */
static int level_members(int level, const struct tree_members *m, int rank, int root, int *out, int *seen) {
    const int *hosts = m->host_of_rank, *clusters = m->cluster_of_rank;
    int cluster_head = representative(clusters, m->size, clusters[rank], root);
    int host_head = representative(hosts, m->size, hosts[rank], root);
    int head = level == LEVEL_CLUSTERS ? root : level == LEVEL_HOSTS ? cluster_head : host_head;
    if ((level == LEVEL_CLUSTERS && rank != cluster_head) || (level == LEVEL_HOSTS && rank != host_head))
        return 0;
    int count = 0;
    for (int i = 0; i < m->size; i++)
        seen[i] = 0;
    if (level != LEVEL_RANKS) /* heads that are not the first of their kind */
        seen[level == LEVEL_CLUSTERS ? clusters[root] : hosts[root]] = 1;
    /* First the lowest rank of each kind in ascending order, the root in its own kind's stead; then turned to the head.
     */
    for (int i = 0; i < m->size; i++) {
        int kind = level == LEVEL_CLUSTERS ? clusters[i] : hosts[i];
        int belongs = level == LEVEL_CLUSTERS ? 1
                      : level == LEVEL_HOSTS  ? clusters[i] == clusters[rank]
                                              : hosts[i] == hosts[rank];
        if (!belongs || (level != LEVEL_RANKS && i != root && seen[kind]))
            continue;
        seen[kind] = 1;
        out[count++] = i;
    }
    int turn = 0;
    while (out[turn] != head)
        turn++;
    for (int i = 0; i < turn; i++) /* rotate through seen, which is free by now */
        seen[i] = out[i];
    for (int i = turn; i < count; i++)
        out[i - turn] = out[i];
    for (int i = 0; i < turn; i++)
        out[count - turn + i] = seen[i];
    return count;
}

static void place_hierarchical(const struct tree_spec *spec, const struct tree_members *m, int rank, int root,
                               enum tree_direction direction, int *scratch, struct tree_place *place) {
    const struct tree_level *levels[LEVELS] = {&spec->clusters, &spec->hosts, &spec->ranks};
    for (int i = 0; i < LEVELS; i++) {
        int level = direction == TREE_BROADCAST ? i : LEVELS - 1 - i;
        int count = level_members(level, m, rank, root, scratch, scratch + m->size);
        if (count > 0)
            place_in_level(levels[level], direction, scratch, count, rank, place);
    }
}

/* Re-rooted by turning round the edges on the way from the new root to the old one. */
static void place_explicit(const struct tree_spec *spec, int rank, int root, enum tree_direction direction,
                           struct tree_place *place) {
    int below = -1; /* the child through which the new root hangs below rank, if it does */
    int at = root;
    while (at != rank && at >= 0) {
        below = at;
        at = spec->parents[at];
    }
    int on_path = at == rank;
    int old_parent = spec->parents[rank];
    place->parent = !on_path ? old_parent : rank == root ? -1 : below;
    int adopts = on_path && old_parent >= 0;
    if (adopts && direction == TREE_BROADCAST)
        place->children[place->child_count++] = old_parent;
    for (int i = spec->first_child[rank]; i < spec->first_child[rank + 1]; i++)
        if (!on_path || rank == root || spec->children[i] != below)
            place->children[place->child_count++] = spec->children[i];
    if (adopts && direction == TREE_REDUCE)
        place->children[place->child_count++] = old_parent;
}

void tree_place_of(const struct tree_spec *spec, const struct tree_members *members, int rank, int root,
                   enum tree_direction direction, int *scratch, struct tree_place *place) {
    place->parent = -1;
    place->child_count = 0;
    if (spec->shape == TREE_HIERARCHICAL) {
        place_hierarchical(spec, members, rank, root, direction, scratch, place);
        return;
    }
    if (spec->shape == TREE_EXPLICIT) {
        place_explicit(spec, rank, root, direction, place);
        return;
    }
    struct tree_level level = {spec->shape, spec->fan_out};
    int size = members->size;
    int v = (int)(((long)rank - root + size) % size);
    int parent = simple_parent(&level, direction, size, v);
    place->parent = parent < 0 ? -1 : (int)(((long)parent + root) % size);
    place->child_count = simple_children(&level, direction, size, v, place->children);
    for (int i = 0; i < place->child_count; i++)
        place->children[i] = (int)(((long)place->children[i] + root) % size);
}
