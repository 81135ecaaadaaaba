/* Finds the groups and the positions of ranks in the groups' trees. All memory comes from the request's scratch. */
#include "plan/groups.h"

#include <stddef.h>

const char *const groups_level_names[GROUPS_LEVELS] = {"cluster", "host"};
const char *const groups_exchange_names[GROUPS_EXCHANGES] = {"all-to-all", "recursive-doubling", "ring"};

/* For each exchange, the shape of the tree over the groups' leaders that replaces it if only one leader sends or
 * receives (broadcast and reduce). */
static const char *const exchange_shape[GROUPS_EXCHANGES] = {"flat", "binomial-mpich", "chain"};

/* Selects the group whose members the other functions use. */
static void select_group(struct groups *g, int group) {
    const struct tree_members *members = g->request->members;
    int count = 0;
    for (int rank = 0; rank < members->size; rank++) {
        if (g->group_of[rank] != group)
            continue;
        if (rank == g->leaders[group])
            g->head = count;
        g->ranks[count] = rank;
        g->members.host_of_rank[count] = members->host_of_rank[rank];
        g->members.cluster_of_rank[count++] = members->cluster_of_rank[rank];
    }
    g->members.size = count;
    tree_members_number(g->members.host_of_rank, count, g->scratch);
    tree_members_number(g->members.cluster_of_rank, count, g->scratch);
}

void groups_find(struct groups *g, const struct schedule_request *r) {
    *g = (struct groups){.request = r, .spec = *r->groups};
    int *free_ints = r->scratch;
    int **const arrays[] = {&g->leaders,
                            &g->ranks,
                            &g->members.host_of_rank,
                            &g->members.cluster_of_rank,
                            &g->group_of,
                            &g->order,
                            &g->first,
                            &g->stack,
                            &g->children[0],
                            &g->children[1],
                            &g->children[2]};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++, free_ints += r->size)
        *arrays[i] = free_ints;
    g->scratch = free_ints;
    if (!g->spec.group_tree) {
        const struct tree_level flat = {shape_named("flat"), 0};
        g->nested.shape = shape_named("hierarchical");
        g->nested.clusters = g->nested.hosts = g->nested.ranks = flat;
        g->spec.group_tree = &g->nested;
    }
    const int *ids = g->spec.level == GROUPS_CLUSTER ? r->members->cluster_of_rank : r->members->host_of_rank;
    for (int rank = 0; rank < r->size; rank++)
        g->group_of[rank] = ids[rank];
    tree_members_number(g->group_of, r->size, g->scratch);
    for (int rank = 0; rank < r->size; rank++)
        if (g->group_of[rank] == g->count)
            g->leaders[g->count++] = rank;
    g->leaders[g->group_of[r->root]] = r->root;
    g->own_group = g->group_of[r->rank];
    select_group(g, g->own_group);
}

bool groups_leads(const struct groups *g) {
    return g->leaders[g->own_group] == g->request->rank;
}

/* The position of a member in the tree of its group, with parent and children as ranks of the communicator. */
static struct tree_position member_position(struct groups *g, int member, enum tree_direction direction,
                                            int *children) {
    struct tree_position position = {.children = children};
    tree_position_of(g->spec.group_tree, &g->members, member, g->head, direction, g->scratch, &position);
    position.parent = position.parent < 0 ? -1 : g->ranks[position.parent];
    for (int i = 0; i < position.child_count; i++)
        children[i] = g->ranks[children[i]];
    return position;
}

static int member_of(const struct groups *g, int rank) {
    int member = 0;
    while (g->ranks[member] != rank)
        member++;
    return member;
}

struct tree_position groups_position_in_group(struct groups *g, enum tree_direction direction) {
    return member_position(g, member_of(g, g->request->rank), direction, g->children[direction]);
}

/* Puts the children in other groups, which are farther away, first in a broadcast and last in a reduce. */
struct tree_position groups_position_across(struct groups *g, enum tree_direction direction) {
    struct tree_position position = groups_position_in_group(g, direction),
                         leader_position = {.children = g->children[2]};
    const struct tree_spec spec = {.shape = shape_named(exchange_shape[g->spec.exchange])};
    const struct tree_members leaders = {g->count, NULL, NULL};
    if (!groups_leads(g))
        return position;
    tree_position_of(&spec, &leaders, g->own_group, g->group_of[g->request->root], direction, g->scratch,
                     &leader_position);
    position.parent = leader_position.parent < 0 ? -1 : g->leaders[leader_position.parent];
    bool far_first = direction == TREE_BROADCAST;
    for (int i = position.child_count - 1; far_first && i >= 0; i--)
        position.children[i + leader_position.child_count] = position.children[i];
    for (int i = 0; i < leader_position.child_count; i++)
        position.children[far_first ? i : position.child_count + i] = g->leaders[leader_position.children[i]];
    position.child_count += leader_position.child_count;
    return position;
}

/* Lists a member's rank and all ranks below it in the tree, in the order that groups_put_in_order defines. Returns
 * their number. ranks NULL: only counts. */
static int list(struct groups *g, int member, int *ranks) {
    int count = 0, stack_size = 0;
    g->stack[stack_size++] = member;
    while (stack_size > 0) {
        int current = g->stack[--stack_size];
        if (ranks)
            ranks[count] = g->ranks[current];
        count++;
        struct tree_position position = {.children = g->children[2]};
        tree_position_of(g->spec.group_tree, &g->members, current, g->head, TREE_REDUCE, g->scratch, &position);
        for (int i = position.child_count - 1; i >= 0; i--)
            g->stack[stack_size++] = position.children[i];
    }
    return count;
}

void groups_put_in_order(struct groups *g) {
    int count = 0;
    for (int group = 0; group < g->count; group++) {
        select_group(g, group);
        g->first[group] = count;
        count += list(g, g->head, g->order + count);
    }
    select_group(g, g->own_group);
}

int groups_position(const struct groups *g, int rank) {
    int position = g->first[g->own_group];
    while (g->order[position] != rank)
        position++;
    return position;
}

int groups_subtree_size(struct groups *g, int rank) {
    return list(g, member_of(g, rank), NULL);
}

int groups_end(const struct groups *g, int group) {
    return group + 1 < g->count ? g->first[group + 1] : g->request->size;
}

bool groups_are_in_rank_order(const struct groups *g) {
    for (int position = 0; position < g->request->size; position++)
        if (g->order[position] != position)
            return false;
    return true;
}
