/* Finds groups, and places in their trees. Takes all memory from the request's scratch. */
#include "plan/groups.h"

#include <stddef.h>

const char *const groups_level_names[GROUPS_LEVELS] = {"cluster", "host"};
const char *const groups_between_names[GROUPS_BETWEENS] = {"all-to-all", "recursive-doubling", "ring"};

/* Along which tree of groups one leader reaches the others, or they it. */
static const char *const shape_between[GROUPS_BETWEENS] = {"flat", "binomial-mpich", "chain"};

/* Makes a group's members those that the other functions speak of. */
static void enter(struct groups *g, int group) {
    const struct tree_members *all = g->request->members;
    int count = 0;
    for (int rank = 0; rank < all->size; rank++) {
        if (g->group_of[rank] != group)
            continue;
        if (rank == g->leaders[group])
            g->head = count;
        g->ranks[count] = rank;
        g->members.host_of_rank[count] = all->host_of_rank[rank];
        g->members.cluster_of_rank[count++] = all->cluster_of_rank[rank];
    }
    g->members.size = count;
    tree_members_number(g->members.host_of_rank, count, g->scratch);
    tree_members_number(g->members.cluster_of_rank, count, g->scratch);
}

void groups_find(struct groups *g, const struct schedule_request *r) {
    *g = (struct groups){.request = r, .spec = *r->groups};
    int *room = r->scratch;
    int **const parts[] = {&g->leaders,
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
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++, room += r->size)
        *parts[i] = room;
    g->scratch = room;
    if (!g->spec.inside) {
        const struct tree_level flat = {shape_named("flat"), 0};
        g->nested.shape = shape_named("hierarchical");
        g->nested.clusters = g->nested.hosts = g->nested.ranks = flat;
        g->spec.inside = &g->nested;
    }
    const int *ids = g->spec.level == GROUPS_CLUSTER ? r->members->cluster_of_rank : r->members->host_of_rank;
    for (int rank = 0; rank < r->size; rank++)
        g->group_of[rank] = ids[rank];
    tree_members_number(g->group_of, r->size, g->scratch);
    for (int rank = 0; rank < r->size; rank++)
        if (g->group_of[rank] == g->count)
            g->leaders[g->count++] = rank;
    g->leaders[g->group_of[r->root]] = r->root;
    g->mine = g->group_of[r->rank];
    enter(g, g->mine);
}

bool groups_leads(const struct groups *g) {
    return g->leaders[g->mine] == g->request->rank;
}

/* The place of a member, in ranks of the communicator. */
static struct tree_place place_of(struct groups *g, int member, enum tree_direction direction, int *children) {
    struct tree_place place = {.children = children};
    tree_place_of(g->spec.inside, &g->members, member, g->head, direction, g->scratch, &place);
    place.parent = place.parent < 0 ? -1 : g->ranks[place.parent];
    for (int i = 0; i < place.child_count; i++)
        children[i] = g->ranks[children[i]];
    return place;
}

static int member_of(const struct groups *g, int rank) {
    int member = 0;
    while (g->ranks[member] != rank)
        member++;
    return member;
}

struct tree_place groups_inside(struct groups *g, enum tree_direction direction) {
    return place_of(g, member_of(g, g->request->rank), direction, g->children[direction]);
}

/* Farther ranks are served first in a broadcast and awaited last in a reduce. */
struct tree_place groups_across(struct groups *g, enum tree_direction direction) {
    struct tree_place place = groups_inside(g, direction), between = {.children = g->children[2]};
    const struct tree_spec spec = {.shape = shape_named(shape_between[g->spec.between])};
    const struct tree_members leaders = {g->count, NULL, NULL};
    if (!groups_leads(g))
        return place;
    tree_place_of(&spec, &leaders, g->mine, g->group_of[g->request->root], direction, g->scratch, &between);
    place.parent = between.parent < 0 ? -1 : g->leaders[between.parent];
    bool far_first = direction == TREE_BROADCAST;
    for (int i = place.child_count - 1; far_first && i >= 0; i--)
        place.children[i + between.child_count] = place.children[i];
    for (int i = 0; i < between.child_count; i++)
        place.children[far_first ? i : place.child_count + i] = g->leaders[between.children[i]];
    place.child_count += between.child_count;
    return place;
}

/* Lists a member's rank and all below it, as groups_put_in_order says; out NULL: only counts them. */
static int list(struct groups *g, int member, int *out) {
    int count = 0, waiting = 0;
    g->stack[waiting++] = member;
    while (waiting > 0) {
        int next = g->stack[--waiting];
        if (out)
            out[count] = g->ranks[next];
        count++;
        struct tree_place place = {.children = g->children[2]};
        tree_place_of(g->spec.inside, &g->members, next, g->head, TREE_REDUCE, g->scratch, &place);
        for (int i = place.child_count - 1; i >= 0; i--)
            g->stack[waiting++] = place.children[i];
    }
    return count;
}

void groups_put_in_order(struct groups *g) {
    int count = 0;
    for (int group = 0; group < g->count; group++) {
        enter(g, group);
        g->first[group] = count;
        count += list(g, g->head, g->order + count);
    }
    enter(g, g->mine);
}

int groups_position(const struct groups *g, int rank) {
    int position = g->first[g->mine];
    while (g->order[position] != rank)
        position++;
    return position;
}

int groups_below(struct groups *g, int rank) {
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
