/* Fuzz test of the tree file: any text must be rejected with a message, or give valid trees. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan/operation.h"
#include "plan/tree.h"
#include "plan/tree_file.h"

enum { MOST_RANKS = 9 };

static void require(bool holds, const char *requirement) {
    if (holds)
        return;
    fprintf(stderr, "fuzz_tree_file: %s\n", requirement);
    abort();
}

/* Checks that every rank except the root has one parent, that this parent lists it as a child, and that all paths lead
 * to the root. */
static void check_tree(const struct tree_spec *spec, int size, int root, enum tree_direction direction) {
    int hosts[MOST_RANKS], clusters[MOST_RANKS], scratch[2 * MOST_RANKS], children[MOST_RANKS];
    int parent[MOST_RANKS], claimed[MOST_RANKS] = {0};
    for (int rank = 0; rank < size; rank++) {
        hosts[rank] = rank / 2;
        clusters[rank] = rank / 4;
    }
    const struct tree_members members = {size, hosts, clusters};
    for (int rank = 0; rank < size; rank++) {
        struct tree_position place = {.children = children};
        tree_position_of(spec, &members, rank, root, direction, scratch, &place);
        parent[rank] = place.parent;
        require(place.child_count >= 0 && place.child_count < size, "a number of children");
        for (int i = 0; i < place.child_count; i++) {
            require(children[i] >= 0 && children[i] < size, "a child that is no rank");
            claimed[children[i]] += 1 + MOST_RANKS * rank;
        }
    }
    for (int rank = 0; rank < size; rank++) {
        require((parent[rank] < 0) == (rank == root), "a root");
        require(rank == root ? claimed[rank] == 0 : claimed[rank] == 1 + MOST_RANKS * parent[rank], "a parent's child");
        int ancestor = rank, steps = 0;
        while (ancestor != root && steps++ <= size)
            ancestor = parent[ancestor];
        require(ancestor == root, "a way to the root");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char message[500];
    if (size < 1)
        return 0;
    int world = data[0] % (MOST_RANKS + 1);
    char *text = malloc(size); /* has the exact size, so that a sanitizer detects a read beyond the end */
    memcpy(text, data + 1, size - 1);
    memset(message, 'x', sizeof message);
    struct tree_plan *plan = tree_plan_parse(text, size - 1, world, message, sizeof message);
    free(text);
    if (!plan) {
        require(memchr(message, '\0', sizeof message) && strchr(message, ':'), "a message with a place");
        return 0;
    }
    for (int tree = 0; tree < plan->tree_count; tree++) {
        const struct tree_spec *spec = &plan->trees[tree];
        for (int ranks = 1; ranks <= MOST_RANKS; ranks++) {
            if (spec->shape->kind == SHAPE_EXPLICIT && spec->size != ranks)
                continue;
            for (int root = 0; root < ranks; root++) {
                check_tree(spec, ranks, root, TREE_REDUCE);
                check_tree(spec, ranks, root, TREE_BROADCAST);
            }
        }
    }
    for (int list = 0; list < plan->members.count; list++) {
        const struct rank_list *members = &plan->members.lists[list];
        require(rank_lists_find(&plan->members, members->ranks, members->size) == list, "a list that is there once");
        for (int i = 0; i < members->size; i++)
            require(members->ranks[i] >= 0 && (world == 0 || members->ranks[i] < world), "a rank of the job");
    }
    for (int ranks = 1; ranks <= MOST_RANKS; ranks++) {
        int members = ranks % 2 && ranks <= plan->members.count ? ranks - 1 : OTHER_MEMBERS;
        int rule = tree_plan_choose(plan, (enum operation)(ranks % 4), ranks, members, (uint64_t)ranks << (ranks * 4));
        require(rule < plan->rule_count, "a rule that is there");
        require(rule < 0 || plan->rules[rule].members == ANY_MEMBERS || plan->rules[rule].members == members,
                "a rule for these members");
    }
    tree_plan_free(plan);
    return 0;
}
