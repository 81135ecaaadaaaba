/* Finds a rank's position in a tree. Rotates a simple shape so that it begins at the root, composes a hierarchy of
 * simple shapes, or re-roots an explicit tree. */
#include "plan/tree.h"

void tree_members_number(int *ids, int size, int *scratch) {
    int count = 0;
    for (int i = 0; i < size; i++) {
        int number = 0;
        while (number < count && scratch[number] != ids[i])
            number++;
        if (number == count)
            scratch[count++] = ids[i];
        ids[i] = number;
    }
}

/* Adds to `position` the parent and the children that a rank has in one level of a hierarchy. members: the ranks of
 * this level's group, starting with its head. */
static void position_in_level(const struct tree_level *level, enum tree_direction direction, const int *members,
                              int count, int rank, struct tree_position *position) {
    int v = 0;
    while (members[v] != rank)
        v++;
    const struct virtual_rank virtual_rank = {v, count, level->fan_out, direction};
    if (v > 0)
        position->parent = members[level->shape->parent(&virtual_rank)];
    int *children = position->children + position->child_count;
    int added = level->shape->children(&virtual_rank, children);
    for (int i = 0; i < added; i++)
        children[i] = members[children[i]];
    position->child_count += added;
}

/* The representative of a host or cluster: the root if it belongs to it, else its lowest rank. id_of_rank: each rank's
 * host, or each rank's cluster. */
static int representative(const int *id_of_rank, int size, int id, int root) {
    if (id_of_rank[root] == id)
        return root;
    for (int rank = 0; rank < size; rank++)
        if (id_of_rank[rank] == id)
            return rank;
    return -1;
}

enum { LEVEL_CLUSTERS, LEVEL_HOSTS, LEVEL_RANKS, LEVELS };

/* Collects the group of a rank at one level of the hierarchy, in cyclic order from the group's head. The groups are:
 * the representatives of all clusters; the representatives of a cluster's hosts; the ranks of a host. Returns the size
 * of the group; 0 if the rank is in no group of this level. is_listed: size ints of scratch. */
static int level_members(int level, const struct tree_members *m, int rank, int root, int *members, int *is_listed) {
    const int *hosts = m->host_of_rank, *clusters = m->cluster_of_rank;
    int cluster_head = representative(clusters, m->size, clusters[rank], root);
    int host_head = representative(hosts, m->size, hosts[rank], root);
    int head = level == LEVEL_CLUSTERS ? root : level == LEVEL_HOSTS ? cluster_head : host_head;
    if ((level == LEVEL_CLUSTERS && rank != cluster_head) || (level == LEVEL_HOSTS && rank != host_head))
        return 0;
    int count = 0;
    for (int i = 0; i < m->size; i++)
        is_listed[i] = 0;
    if (level != LEVEL_RANKS) /* the root, not the lowest rank, represents its own cluster or host */
        is_listed[level == LEVEL_CLUSTERS ? clusters[root] : hosts[root]] = 1;
    /* Collect the representatives (kind: a cluster or host), or the ranks of the host, in ascending order. Then rotate
     * the list so that the head comes first. */
    for (int i = 0; i < m->size; i++) {
        int kind = level == LEVEL_CLUSTERS ? clusters[i] : hosts[i];
        int belongs = level == LEVEL_CLUSTERS ? 1
                      : level == LEVEL_HOSTS  ? clusters[i] == clusters[rank]
                                              : hosts[i] == hosts[rank];
        if (!belongs || (level != LEVEL_RANKS && i != root && is_listed[kind]))
            continue;
        is_listed[kind] = 1;
        members[count++] = i;
    }
    int head_index = 0;
    while (members[head_index] != head)
        head_index++;
    for (int i = 0; i < head_index; i++) /* rotate, with is_listed as temporary memory */
        is_listed[i] = members[i];
    for (int i = head_index; i < count; i++)
        members[i - head_index] = members[i];
    for (int i = 0; i < head_index; i++)
        members[count - head_index + i] = is_listed[i];
    return count;
}

static void position_in_hierarchy(const struct tree_spec *spec, const struct tree_members *m, int rank, int root,
                                  enum tree_direction direction, int *scratch, struct tree_position *position) {
    const struct tree_level *levels[LEVELS] = {&spec->clusters, &spec->hosts, &spec->ranks};
    for (int i = 0; i < LEVELS; i++) {
        int level = direction == TREE_BROADCAST ? i : LEVELS - 1 - i;
        int count = level_members(level, m, rank, root, scratch, scratch + m->size);
        if (count > 0)
            position_in_level(levels[level], direction, scratch, count, rank, position);
    }
}

/* Finds a rank's position in an explicit tree. For another root than the tree's own, reverses the edges on the path
 * from the new root to the old one. */
static void position_in_explicit(const struct tree_spec *spec, int rank, int root, enum tree_direction direction,
                                 struct tree_position *position) {
    int root_child = -1; /* the child whose subtree contains the new root; -1: none */
    int ancestor = root;
    while (ancestor != rank && ancestor >= 0) {
        root_child = ancestor;
        ancestor = spec->parents[ancestor];
    }
    int on_path = ancestor == rank;
    int old_parent = spec->parents[rank];
    position->parent = !on_path ? old_parent : rank == root ? -1 : root_child;
    int adopts = on_path && old_parent >= 0;
    if (adopts && direction == TREE_BROADCAST)
        position->children[position->child_count++] = old_parent;
    for (int i = spec->first_child[rank]; i < spec->first_child[rank + 1]; i++)
        if (!on_path || rank == root || spec->children[i] != root_child)
            position->children[position->child_count++] = spec->children[i];
    if (adopts && direction == TREE_REDUCE)
        position->children[position->child_count++] = old_parent;
}

void tree_position_of(const struct tree_spec *spec, const struct tree_members *members, int rank, int root,
                      enum tree_direction direction, int *scratch, struct tree_position *position) {
    position->parent = -1;
    position->child_count = 0;
    if (spec->shape->kind == SHAPE_HIERARCHICAL) {
        position_in_hierarchy(spec, members, rank, root, direction, scratch, position);
        return;
    }
    if (spec->shape->kind == SHAPE_EXPLICIT) {
        position_in_explicit(spec, rank, root, direction, position);
        return;
    }
    int size = members->size;
    const struct virtual_rank virtual_rank = {(int)(((long)rank - root + size) % size), size, spec->fan_out, direction};
    if (virtual_rank.v > 0)
        position->parent = (int)(((long)spec->shape->parent(&virtual_rank) + root) % size);
    position->child_count = spec->shape->children(&virtual_rank, position->children);
    for (int i = 0; i < position->child_count; i++)
        position->children[i] = (int)(((long)position->children[i] + root) % size);
}

int tree_own_root(const struct tree_spec *up, const struct tree_spec *down) {
    return up->shape->kind == SHAPE_EXPLICIT ? up->root : down->shape->kind == SHAPE_EXPLICIT ? down->root : 0;
}
