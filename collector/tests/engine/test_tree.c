/* Tests that every shape gives a tree for every root and every size up to 17, and that parent and child of every edge
 * name each other. */
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "plan/tree.h"

enum { MAX_RANKS = 17 };

static int host_of[MAX_RANKS], cluster_of[MAX_RANKS];

static void position_of(const struct tree_spec *spec, int size, int rank, int root, enum tree_direction direction,
                        struct tree_position *position) {
    struct tree_members members = {size, host_of, cluster_of};
    int scratch[2 * MAX_RANKS];
    tree_position_of(spec, &members, rank, root, direction, scratch, position);
}

static void every_rank_hangs_below_the_root(const struct tree_spec *spec, int size, int root,
                                            enum tree_direction direction) {
    int children[MAX_RANKS][MAX_RANKS], roots = 0, edges = 0;
    struct tree_position positions[MAX_RANKS];
    for (int rank = 0; rank < size; rank++) {
        positions[rank].children = children[rank];
        position_of(spec, size, rank, root, direction, &positions[rank]);
        roots += positions[rank].parent < 0;
        edges += positions[rank].child_count;
    }
    EXPECT(roots == 1 && positions[root].parent < 0, "%s, size %d, root %d: %d roots", spec->name, size, root, roots);
    EXPECT(edges == size - 1, "%s, size %d, root %d: %d edges", spec->name, size, root, edges);
    for (int rank = 0; rank < size; rank++) {
        int ancestor = rank, steps = 0;
        while (ancestor != root && ancestor >= 0 && steps++ < size)
            ancestor = positions[ancestor].parent;
        EXPECT(ancestor == root, "%s, size %d, root %d: rank %d does not reach the root", spec->name, size, root, rank);
        for (int i = 0; i < positions[rank].child_count; i++)
            EXPECT(positions[children[rank][i]].parent == rank, "%s, size %d, root %d: %d and %d disagree", spec->name,
                   size, root, rank, children[rank][i]);
    }
}

static struct tree_spec random_explicit(int size) {
    struct tree_spec spec = {.name = "explicit", .shape = shape_named("explicit"), .size = size};
    int order[MAX_RANKS];
    spec.parents = malloc(sizeof(int) * (size_t)size);
    spec.first_child = calloc((size_t)size + 1, sizeof(int));
    spec.children = malloc(sizeof(int) * (size_t)size);
    for (int i = 0; i < size; i++)
        order[i] = i;
    for (int i = size - 1; i > 0; i--) {
        int random_index = rand() % (i + 1), swapped_rank = order[i];
        order[i] = order[random_index];
        order[random_index] = swapped_rank;
    }
    spec.root = order[0];
    spec.parents[order[0]] = -1;
    for (int i = 1; i < size; i++)
        spec.parents[order[i]] = order[rand() % i];
    for (int rank = 0, count = 0; rank < size; rank++) {
        spec.first_child[rank] = count;
        for (int child = 0; child < size; child++)
            if (spec.parents[child] == rank)
                spec.children[count++] = child;
        spec.first_child[rank + 1] = count;
    }
    return spec;
}

enum { MAX_LEVELS = 64 };

/* Lists every simple shape of the table, with several fan-outs if it takes one. Returns their number. */
static int simple_levels(struct tree_level *levels) {
    static const int fan_outs[] = {1, 2, 3, 5, 20};
    int count = 0;
    for (const struct shape *row = shapes; row->name; row++) {
        if (row->kind != SHAPE_SIMPLE)
            continue;
        for (size_t i = 0; i < (row->counts ? sizeof fan_outs / sizeof *fan_outs : 1) && count < MAX_LEVELS; i++)
            levels[count++] = (struct tree_level){row, row->counts ? fan_outs[i] : row->fan_out};
    }
    EXPECT(count > 8 && count < MAX_LEVELS, "%d levels", count);
    return count;
}

static void shapes_are_trees(void) {
    struct tree_level levels[MAX_LEVELS];
    int level_count = simple_levels(levels);
    for (int size = 1; size <= MAX_RANKS; size++)
        for (int root = 0; root < size; root++)
            for (int direction = TREE_REDUCE; direction <= TREE_BROADCAST; direction++) {
                for (int i = 0; i < level_count; i++) {
                    struct tree_spec simple = {.shape = levels[i].shape, .fan_out = levels[i].fan_out};
                    snprintf(simple.name, sizeof simple.name, "%s", levels[i].shape->name);
                    every_rank_hangs_below_the_root(&simple, size, root, (enum tree_direction)direction);
                }
                for (int turn = 0; turn < 12; turn++) {
                    struct tree_spec spec = {.name = "hierarchical", .shape = shape_named("hierarchical")};
                    spec.clusters = levels[rand() % level_count];
                    spec.hosts = levels[rand() % level_count];
                    spec.ranks = levels[rand() % level_count];
                    int hosts = 1 + rand() % 6, clusters = 1 + rand() % 3, scratch[MAX_RANKS];
                    for (int rank = 0; rank < size; rank++) {
                        host_of[rank] = 10 + rand() % hosts;
                        cluster_of[rank] = host_of[rank] % clusters;
                    }
                    tree_members_number(host_of, size, scratch);
                    tree_members_number(cluster_of, size, scratch);
                    every_rank_hangs_below_the_root(&spec, size, root, (enum tree_direction)direction);
                }
                struct tree_spec spec = random_explicit(size);
                every_rank_hangs_below_the_root(&spec, size, root, (enum tree_direction)direction);
                free(spec.parents);
                free(spec.first_child);
                free(spec.children);
            }
}

static int parent_of(const struct tree_spec *spec, int size, int rank, int root, enum tree_direction direction) {
    int children[MAX_RANKS];
    struct tree_position position = {.children = children};
    position_of(spec, size, rank, root, direction, &position);
    return position.parent;
}

static void children_are(const struct tree_spec *spec, int size, int rank, int root, enum tree_direction direction,
                         const char *expectation) {
    int children[MAX_RANKS];
    char children_text[100] = "";
    struct tree_position position = {.children = children};
    position_of(spec, size, rank, root, direction, &position);
    for (int i = 0; i < position.child_count; i++)
        snprintf(children_text + strlen(children_text), sizeof children_text - strlen(children_text), i ? " %d" : "%d",
                 children[i]);
    EXPECT(strcmp(children_text, expectation) == 0, "%s: children of %d are %s, not %s", spec->name, rank,
           children_text, expectation);
}

/* Ranks are dealt in turn to the hosts A0, B0 and B1 of the sites A and B. The path 7 > 6 > 4 > 0 then goes to the
 * other site at every step. */
static void binomial_crosses_the_wan_three_times_when_dealt_round_robin(void) {
    struct tree_spec mpich = {.name = "binomial-mpich", .shape = shape_named("binomial-mpich")};
    int rank = 7, crossings = 0, path[4] = {7}, length = 1;
    while (rank != 0) {
        int parent = parent_of(&mpich, 8, rank, 0, TREE_REDUCE);
        crossings += (rank % 3 == 0) != (parent % 3 == 0);
        rank = path[length++] = parent;
    }
    EXPECT(length == 4 && path[1] == 6 && path[2] == 4, "7 > %d > %d", path[1], path[2]);
    EXPECT(crossings == 3, "%d crossings", crossings);
}

static void shapes_are_those_of_the_libraries(void) {
    struct tree_spec mpich = {.name = "binomial-mpich", .shape = shape_named("binomial-mpich")};
    struct tree_spec lam = {.name = "binomial-lam", .shape = shape_named("binomial-lam")};
    struct tree_spec chains = {.name = "k-chain", .shape = shape_named("k-chain"), .fan_out = 3};
    struct tree_spec ternary = {.name = "kary", .shape = shape_named("kary"), .fan_out = 3};
    children_are(&chains, 9, 0, 0, TREE_REDUCE, "1 4 7");
    children_are(&chains, 9, 5, 0, TREE_BROADCAST, "6");
    children_are(&chains, 9, 6, 0, TREE_BROADCAST, "");
    children_are(&mpich, 8, 0, 0, TREE_REDUCE, "1 2 4");
    children_are(&mpich, 8, 0, 0, TREE_BROADCAST, "4 2 1");
    children_are(&mpich, 8, 7, 3, TREE_BROADCAST, "1 0"); /* virtual rank 4 of root 3: 6 and 5 */
    children_are(&lam, 8, 0, 0, TREE_BROADCAST, "1 2 4");
    children_are(&lam, 8, 1, 0, TREE_BROADCAST, "3 5");
    children_are(&lam, 8, 4, 0, TREE_REDUCE, "5 6");
    EXPECT(parent_of(&lam, 8, 7, 0, TREE_BROADCAST) == 3, "7 clears the highest bit");
    EXPECT(parent_of(&lam, 8, 7, 0, TREE_REDUCE) == 6, "7 clears the lowest bit");
    children_are(&ternary, 9, 1, 0, TREE_REDUCE, "4 5 6");
}

/* Host A0 has ranks 0, 3 and 6, B0 has 1, 4 and 7, B1 has 2 and 5. Clusters A and B. */
static void hierarchy_crosses_once_and_its_root_represents_its_host_and_cluster(void) {
    struct tree_spec spec = {.name = "hierarchical", .shape = shape_named("hierarchical")};
    spec.clusters = spec.hosts = spec.ranks = (struct tree_level){shape_named("flat"), 0};
    for (int rank = 0; rank < 8; rank++) {
        host_of[rank] = rank % 3;
        cluster_of[rank] = rank % 3 == 0 ? 0 : 1;
    }
    children_are(&spec, 8, 0, 0, TREE_BROADCAST, "1 3 6");
    children_are(&spec, 8, 1, 0, TREE_BROADCAST, "2 4 7");
    children_are(&spec, 8, 1, 0, TREE_REDUCE, "4 7 2");
    children_are(&spec, 8, 2, 0, TREE_BROADCAST, "5");
    children_are(&spec, 8, 5, 5, TREE_BROADCAST, "0 1 2");
    children_are(&spec, 8, 0, 5, TREE_BROADCAST, "3 6");
    EXPECT(parent_of(&spec, 8, 1, 5, TREE_REDUCE) == 5, "host B0 hangs below the root of its cluster");
}

static void an_explicit_tree_keeps_its_edges_under_another_root(void) {
    int parents[] = {-1, 0, 1, 0}, first[] = {0, 2, 3, 3, 3}, list[] = {3, 1, 2};
    struct tree_spec spec = {.name = "explicit",
                             .shape = shape_named("explicit"),
                             .size = 4,
                             .parents = parents,
                             .first_child = first,
                             .children = list};
    children_are(&spec, 4, 0, 0, TREE_REDUCE, "3 1");
    children_are(&spec, 4, 2, 2, TREE_REDUCE, "1");
    children_are(&spec, 4, 1, 2, TREE_REDUCE, "0");
    children_are(&spec, 4, 0, 2, TREE_REDUCE, "3");
    children_are(&spec, 4, 1, 1, TREE_REDUCE, "2 0");
    children_are(&spec, 4, 1, 1, TREE_BROADCAST, "0 2");
}

int main(void) {
    srand(7);
    shapes_are_trees();
    binomial_crosses_the_wan_three_times_when_dealt_round_robin();
    shapes_are_those_of_the_libraries();
    hierarchy_crosses_once_and_its_root_represents_its_host_and_cluster();
    an_explicit_tree_keeps_its_edges_under_another_root();
    return expect_failures != 0;
}
