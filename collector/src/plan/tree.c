/* Finds a rank's place in a tree: rotates simple shapes to the root, composes hierarchies of them, re-roots explicit
 * trees. */
#include "plan/tree.h"

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

/* Places rank in one level of a hierarchy: members are the level's ranks, starting with its head. */
static void place_in_level(const struct tree_level *level, enum tree_direction direction, const int *members, int count,
                           int rank, struct tree_place *place) {
    int v = 0;
    while (members[v] != rank)
        v++;
    const struct virtual_rank at = {v, count, level->fan_out, direction};
    if (v > 0)
        place->parent = members[level->shape->parent(&at)];
    int *children = place->children + place->child_count;
    int added = level->shape->children(&at, children);
    for (int i = 0; i < added; i++)
        children[i] = members[children[i]];
    place->child_count += added;
}

/* Represents a host (or a cluster, given its ids): the root if it is a member, else the lowest rank. */
static int representative(const int *id_of_rank, int size, int id, int root) {
    if (id_of_rank[root] == id)
        return root;
    for (int rank = 0; rank < size; rank++)
        if (id_of_rank[rank] == id)
            return rank;
    return -1;
}

enum { LEVEL_CLUSTERS, LEVEL_HOSTS, LEVEL_RANKS, LEVELS };

/* Collects the ranks of rank's group at one level, cyclically from the group's head; 0 if rank is not in it. */
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
    if (level != LEVEL_RANKS) /* skip the lowest rank of the root's kind */
        seen[level == LEVEL_CLUSTERS ? clusters[root] : hosts[root]] = 1;
    /* Collect the lowest rank of each kind in ascending order, the root for its own kind; then rotate to the head. */
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
    for (int i = 0; i < turn; i++) /* rotate through seen, which is free now */
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

/* Re-roots by reversing the edges on the path from the new root to the old one. */
static void place_explicit(const struct tree_spec *spec, int rank, int root, enum tree_direction direction,
                           struct tree_place *place) {
    int below = -1; /* the child whose subtree contains the new root, if any */
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
    if (spec->shape->kind == SHAPE_HIERARCHICAL) {
        place_hierarchical(spec, members, rank, root, direction, scratch, place);
        return;
    }
    if (spec->shape->kind == SHAPE_EXPLICIT) {
        place_explicit(spec, rank, root, direction, place);
        return;
    }
    int size = members->size;
    const struct virtual_rank at = {(int)(((long)rank - root + size) % size), size, spec->fan_out, direction};
    if (at.v > 0)
        place->parent = (int)(((long)spec->shape->parent(&at) + root) % size);
    place->child_count = spec->shape->children(&at, place->children);
    for (int i = 0; i < place->child_count; i++)
        place->children[i] = (int)(((long)place->children[i] + root) % size);
}

int tree_own_root(const struct tree_spec *up, const struct tree_spec *down) {
    return up->shape->kind == SHAPE_EXPLICIT ? up->root : down->shape->kind == SHAPE_EXPLICIT ? down->root : 0;
}
