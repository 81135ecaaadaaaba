/* Tests the reading of tree files: their meaning, and the error message for each mistake. */
#include <string.h>

#include "expect.h"
#include "plan/tree_file.h"
#include "plan/tree_name.h"

#define RULE "\"rules\":[{\"operations\":[\"MPI_Allreduce\"],\"reduce_tree\":\"t\"}]"
#define TREE(definition) "{\"schema_version\":1,\"trees\":{\"t\":" definition "}," RULE "}"
#define RULES(rules) "{\"schema_version\":1,\"trees\":{\"t\":{\"shape\":\"flat\"}},\"rules\":" rules "}"
#define MEMBERS(list) RULES("[{\"operations\":[\"MPI_Bcast\"],\"reduce_tree\":\"t\",\"members\":" list "}]")
#define PARENTS(list) TREE("{\"shape\":\"explicit\",\"parents\":" list "}")
#define CHILDREN(list) TREE("{\"shape\":\"explicit\",\"parents\":[null,0,0,1],\"children\":" list "}")

/* Each invalid text, and a part of the message it must produce. */
static const struct {
    const char *text, *message_part;
} mistakes[] = {
    {"", "1:1:"},
    {"{", "1:"},
    {"[]", "1:1: a tree file is a list; it must be an object"},
    {"{}", "`schema_version` is missing; it must be 1"},
    {"{\"schema_version\":2}", "1:19: `schema_version` is not 1"},
    {"{\"schema_version\":1,\"tree\":{}}",
     "unknown key `tree`; known keys are `schema_version`, `name`, `alternate`, `trees`, `rules`"},
    {"{\"schema_version\":1,\"alternate\":0}", "`alternate` is 0; it must be at least 1"},
    {"{\"schema_version\":1}", "`rules` is missing"},
    {"{\"schema_version\":1,\"trees\":{}}", "`rules` is missing"},
    {"{\"schema_version\":1,\"rules\":[{\"operations\":[\"MPI_Bcast\"],\"reduce_tree\":\"t\"}]}", "`trees` is missing"},
    {TREE("{\"shape\":\"k-chain\"}"), "`t` is k-chain but has no `fan_out`; give the number of chains"},
    {RULES("[{\"operations\":[\"MPI_Bcast\"],\"algorithm\":7}]"), "`algorithm` is a number"},
    {RULES("[{\"operations\":[\"MPI_Bcast\"],\"algorithm\":\"star\"}]"),
     "unknown algorithm `star`; it must be pipeline, split-binary, recursive-doubling,"},
    {RULES("[{\"operations\":[\"MPI_Bcast\"],\"algorithm\":\"tree\"}]"), "unknown algorithm `tree`"},
    {RULES("[{\"operations\":[\"MPI_Barrier\",\"MPI_Bcast\"],\"algorithm\":\"double-ring\"}]"),
     "1:90: the algorithm double-ring does not support MPI_Bcast; those that do are pipeline"},
    {RULES("[{\"operations\":[\"MPI_Alltoall\"],\"reduce_tree\":\"t\"}]"),
     "MPI_Alltoall does not run over a tree; give `algorithm`: dissemination, bruck, pairwise"},
    {RULES("[{\"operations\":[\"MPI_Scan\"],\"algorithm\":\"linear\",\"reduce_tree\":\"t\"}]"),
     "this rule has both `reduce_tree` and `algorithm`"},
    {RULES("[{\"operations\":[\"MPI_Alltoall\"],\"algorithm\":\"pairwise\",\"segment_bytes\":64}]"),
     "MPI_Alltoall with pairwise does not cut messages into segments"},
    {RULES("[{\"operations\":[\"MPI_Gatherv\"],\"algorithm\":\"linear\",\"bytes\":{\"max\":9}}]"),
     "`bytes` cannot select MPI_Gatherv, because each rank knows only its own counts"},
    {RULES("[{\"operations\":[\"MPI_Bcast\"],\"algorithm\":\"leaders\",\"level\":\"clutser\"}]"),
     "`level` is `clutser`; did you mean `cluster`?"},
    {RULES("[{\"operations\":[\"MPI_Bcast\"],\"algorithm\":\"leaders\",\"between\":\"x\"}]"),
     "`between` is `x`; it must be all-to-all, recursive-doubling or ring"},
    {RULES("[{\"operations\":[\"MPI_Bcast\"],\"algorithm\":\"leaders\",\"inside\":\"u\"}]"),
     "`inside` names the tree `u`, which is not in `trees`"},
    {RULES("[{\"operations\":[\"MPI_Bcast\"],\"algorithm\":\"leaders\",\"inside\":{\"shape\":\"chain\"}}]"),
     "`inside` is an object; it must be the name of a tree in `trees`"},
    /* Regression: for a file without trees, the message was that `trees` is missing. */
    {"{\"schema_version\":1,\"rules\":[{\"operations\":[\"MPI_Bcast\"],\"algorithm\":\"leaders\",\"inside\":"
     "{\"shape\":\"chain\"}}]}",
     "`inside` is an object; it must be the name of a tree in `trees`"},
    {"{\"schema_version\":1,\"trees\":{\"t\":{\"shape\":\"explicit\",\"parents\":[null,0]}},\"rules\":[{\"operations\":"
     "["
     "\"MPI_Bcast\"],\"algorithm\":\"leaders\",\"inside\":\"t\"}]}",
     "`inside` names the explicit tree `t`, but groups differ in size"},
    {RULES("[{\"operations\":[\"MPI_Bcast\"],\"reduce_tree\":\"t\",\"level\":\"host\"}]"),
     "`level` is for the algorithm leaders"},
    {RULES("[{\"operations\":[\"MPI_Allgather\"],\"algorithm\":\"ring\",\"between\":\"ring\"}]"),
     "`between` is for the algorithm leaders"},
    {"{\"schema_version\":1,\"trees\":{},\"rules\":[]}", "`trees` is empty"},
    {"{\"schema_version\":1,\"name\":\"\",\"trees\":{},\"rules\":[]}", "`name` has 0 bytes"},
    {"{\"schema_version\":1,\n \"trees\":{\"a b\":{\"shape\":\"flat\"}},\"rules\":[{}]}",
     "2:17: `a b` cannot name a tree"},
    {TREE("{}"), "the tree `t` has no `shape`"},
    {TREE("{\"shape\":\"binomal\"}"), "unknown shape `binomal`; did you mean `binomial`?"},
    {TREE("{\"shape\":\"Explict\"}"), "unknown shape `Explict`; did you mean `explicit`?"},
    {TREE("{\"shape\":\"kary:4\"}"), "unknown shape `kary:4`; did you mean `kary`? Put the number into `fan_out`"},
    {RULES("[{\"operations\":[\"MPI_Bcast\"],\"algorithm\":\"pipline\"}]"),
     "unknown algorithm `pipline`; did you mean `pipeline`?"},
    {TREE("{\"shape\":\"star\"}"), "unknown shape `star`; it must be one of flat, chain, "},
    {TREE("{\"shape\":\"star\"}"), ", binomial (which is binomial-mpich), binomial-mpich, "},
    {TREE("{\"shape\":\"flat\",\"fanout\":2}"), "unknown key `fanout`"},
    {TREE("{\"shape\":\"kary\"}"), "no `fan_out`"},
    {TREE("{\"shape\":\"kary\",\"fan_out\":0}"), "`fan_out` is 0"},
    {TREE("{\"shape\":\"kary\",\"fan_out\":1.5}"), "must be a whole number"},
    {TREE("{\"shape\":\"hierarchical\",\"hosts\":{\"shape\":\"hierarchical\"}}"),
     "`hosts` of the tree `t` has the unknown"},
    {TREE("{\"shape\":\"hierarchical\",\"host\":{}}"), "unknown key `host`"},
    {TREE("{\"shape\":\"explicit\"}"), "has no `parents`"},
    {PARENTS("[]"), "is empty"},
    {PARENTS("[null,0,null]"), "two roots, ranks 0 and 2"},
    {PARENTS("[1,0]"), "no root"},
    {PARENTS("[null,2,1]"), "has a cycle: 1 > 2 > 1"},
    {PARENTS("[null,1]"), "rank 1 is its own parent"},
    {PARENTS("[null,7]"), "the parent of rank 1 is 7, but the ranks of this tree are 0 to 1"},
    {PARENTS("[null,-1]"), "the ranks of this tree are 0 to 1"},
    {PARENTS("[null,\"0\"]"), "is a string; it must be a rank"},
    {PARENTS("[null,0,0,0,0,0,0,0,0]"), "is for 9 ranks, but the job has only 8"},
    {CHILDREN("{\"4\":[]}"), "names `4`, but its ranks are 0 to"},
    {CHILDREN("{\"0\":[1]}"), "has 2 children according to `parents`, but `children` lists 1"},
    {CHILDREN("{\"0\":[1,3]}"), "rank 3 is listed as a child of 0, but its parent is 1"},
    {CHILDREN("{\"0\":[1,1]}"), "listed twice"},
    {RULES("[]"), "`rules` is empty"},
    {RULES("[{}]"), "this rule has no `operations`"},
    {RULES("[{\"operations\":[]}]"), "`operations` is empty"},
    {RULES("[{\"operations\":[\"MPI_Frobnicate\"]}]"),
     "unknown operation `MPI_Frobnicate`; it must be MPI_Allreduce, "},
    {RULES("[{\"operations\":[\"MPI_Bcast\"]}]"), "this rule has no tree"},
    {RULES("[{\"operations\":[\"MPI_Bcast\"],\"native\":false}]"), "`native` can only be true"},
    {RULES("[{\"operations\":[\"MPI_Bcast\"],\"reduce_tree\":\"u\"}]"),
     "the tree `u`, which is not in `trees`; known trees are `t`"},
    {RULES("[{\"operations\":[\"MPI_Bcast\"],\"reduce_tree\":\"t\",\"bytes\":{\"min\":9,\"max\":8}}]"),
     "min 9 above max 8"},
    {RULES("[{\"operations\":[\"MPI_Bcast\"],\"reduce_tree\":\"t\",\"comm_size\":4}]"), "it must be an object"},
    {RULES("[{\"operations\":[\"MPI_Bcast\"],\"reduce_tree\":\"t\",\"segment_bytes\":-1}]"), "`segment_bytes` is -1"},
    {RULES("[{\"operations\":[\"MPI_Bcast\"],\"reduce_tree\":\"t\",\"combine\":\"any\"}]"), "\"fixed\" or \"arrival\""},
    {MEMBERS("7"), "1:117: `members` is a number; it must be a list"},
    {MEMBERS("[]"), "`members` has length 0; list every rank of the communicator, 2 to 16777216"},
    {MEMBERS("[3]"), "`members` has length 1"},
    {MEMBERS("[0,\"1\"]"), "a rank in `members` is a string; it must be a whole number"},
    {MEMBERS("[0,1.5]"), "must be a whole number"},
    {MEMBERS("[0,-1]"), "a rank in `members` is -1; it must be from 0 to 16777215"},
    {MEMBERS("[0,16777216]"), "a rank in `members` is 16777216; it must be from 0"},
    {MEMBERS("[7,8]"), "1:120: `members` lists rank 8, but the ranks of the job are 0 to 7"},
    {MEMBERS("[5,0,5]"), "1:122: `members` lists rank 5 twice; list each once, in the communicator's order"},
    {MEMBERS("[0,1],\"comm_size\":{\"min\":3}"), "`comm_size` leaves out the 2 ranks of `members`"},
    {MEMBERS("[0,1],\"comm_size\":{\"max\":1}"), "`comm_size` leaves out the 2 ranks of `members`"},
    {"{\"schema_version\":1,\"trees\":{\"t\":{\"shape\":\"explicit\",\"parents\":[null,0]}},\"rules\":[{\"operations\":"
     "[\"MPI_Bcast\"],\"broadcast_tree\":\"t\",\"members\":[4,2,0]}]}",
     "the tree `t` is for 2 ranks, but `members` lists 3"},
};

static void every_mistake_is_named(void) {
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        char message[500] = "";
        struct tree_plan *plan =
            tree_plan_parse(mistakes[i].text, strlen(mistakes[i].text), 8, message, sizeof message);
        EXPECT(plan == NULL, "accepted: %s", mistakes[i].text);
        EXPECT(strstr(message, mistakes[i].message_part) != NULL, "`%s` says: %s", mistakes[i].text, message);
        tree_plan_free(plan);
    }
}

/* Regression: a file with the best tree for each job size ended every job but the largest. */
static void a_tree_for_a_larger_job_is_passed_over(void) {
    static const char text[] =
        "{\"schema_version\":1,\"trees\":{\"eight\":{\"shape\":\"explicit\",\"parents\":[null,0,0,0,0,0,0,0]},"
        "\"four\":{\"shape\":\"explicit\",\"parents\":[null,0,1,2]},"
        "\"spare\":{\"shape\":\"explicit\",\"parents\":[null,0,0,0,0,0,0,0,0]}},\"rules\":["
        "{\"operations\":[\"MPI_Allreduce\"],\"comm_size\":{\"min\":8,\"max\":8},\"reduce_tree\":\"eight\"},"
        "{\"operations\":[\"MPI_Allreduce\"],\"comm_size\":{\"max\":4},\"reduce_tree\":\"four\"}]}";
    for (int world_size = 4; world_size <= 8; world_size += 4) {
        char message[500] = "";
        struct tree_plan *plan = tree_plan_parse(text, sizeof text - 1, world_size, message, sizeof message);
        EXPECT(plan != NULL, "%s", message);
        if (!plan)
            return;
        int rule = tree_plan_choose(plan, OPERATION_ALLREDUCE, world_size, ANY_MEMBERS, 8);
        EXPECT(rule == (world_size == 8 ? 0 : 1), "%d ranks: rule %d", world_size, rule);
        tree_plan_free(plan);
    }
}

static void a_message_is_cut_to_the_room_there_is(void) {
    for (size_t room = 1; room < 40; room++) {
        char message[64];
        memset(message, 'x', sizeof message);
        struct tree_plan *plan = tree_plan_parse("{}", 2, 8, message, room);
        EXPECT(plan == NULL && memchr(message, '\0', room) && message[room] == 'x', "room %zu", room);
    }
}

static void the_first_rule_that_fits_decides(void) {
    static const char text[] =
        "{\"schema_version\":1,\"name\":\"mixed\",\"trees\":{\"up\":{\"shape\":\"binomial\"},"
        "\"down\":{\"shape\":\"hierarchical\",\"clusters\":{\"shape\":\"kary\",\"fan_out\":4}}},\"rules\":["
        "{\"operations\":[\"MPI_Allreduce\"],\"bytes\":{\"max\":64},\"reduce_tree\":\"up\"},"
        "{\"operations\":[\"MPI_Allreduce\",\"MPI_Bcast\"],\"comm_size\":{\"min\":3},\"reduce_tree\":\"up\","
        "\"broadcast_tree\":\"down\",\"segment_bytes\":4096,\"combine\":\"arrival\"},"
        "{\"operations\":[\"MPI_Barrier\"],\"native\":true}]}";
    char message[500] = "";
    struct tree_plan *plan = tree_plan_parse(text, sizeof text - 1, 8, message, sizeof message);
    EXPECT(plan != NULL, "%s", message);
    if (!plan)
        return;
    EXPECT(strcmp(plan->name, "mixed") == 0 && plan->trees[0].shape == shape_named("binomial"), "name and alias");
    EXPECT(plan->trees[1].clusters.fan_out == 4 && plan->trees[1].hosts.shape == shape_named("flat"), "levels");
    EXPECT(tree_plan_choose(plan, OPERATION_ALLREDUCE, 8, OTHER_MEMBERS, 64) == 0, "small");
    EXPECT(tree_plan_choose(plan, OPERATION_ALLREDUCE, 8, OTHER_MEMBERS, 65) == 1, "large");
    EXPECT(tree_plan_choose(plan, OPERATION_ALLREDUCE, 2, OTHER_MEMBERS, 65) == -1, "large on two ranks");
    EXPECT(tree_plan_choose(plan, OPERATION_BARRIER, 8, OTHER_MEMBERS, 0) == 2 && plan->rules[2].native, "native");
    EXPECT(tree_plan_choose(plan, OPERATION_REDUCE, 8, OTHER_MEMBERS, 0) == -1, "no rule");
    EXPECT(plan->rules[0].broadcast_tree == 0 && plan->rules[1].broadcast_tree == 1, "defaults");
    EXPECT(plan->rules[1].arrival_order && !plan->rules[0].arrival_order, "order");
    tree_plan_free(plan);
}

/* The index of the rule that applies to an Allreduce on a communicator with these ranks. */
static int rule_for(const struct tree_plan *plan, const int *ranks, int size) {
    return tree_plan_choose(plan, OPERATION_ALLREDUCE, size, rank_lists_find(&plan->members, ranks, size), 8);
}

static void members_match_in_their_order(void) {
    static const char text[] =
        RULES("[{\"operations\":[\"MPI_Allreduce\"],\"reduce_tree\":\"t\",\"members\":[0,2,4]},"
              "{\"operations\":[\"MPI_Allreduce\"],\"algorithm\":\"ring\",\"members\":[1,3,5]},"
              "{\"operations\":[\"MPI_Bcast\"],\"reduce_tree\":\"t\",\"members\":[0,2,4]},"
              "{\"operations\":[\"MPI_Allreduce\"],\"comm_size\":{\"max\":3},\"native\":true},"
              "{\"operations\":[\"MPI_Allreduce\"],\"comm_size\":{\"min\":4,\"max\":4},\"members\":[3,2,1,0],"
              "\"algorithm\":\"ring\"}]");
    char message[500] = "";
    struct tree_plan *plan = tree_plan_parse(text, sizeof text - 1, 8, message, sizeof message);
    EXPECT(plan != NULL, "%s", message);
    if (!plan)
        return;
    EXPECT(plan->members.count == 3 && plan->rules[2].members == plan->rules[0].members, "equal lists are one");
    EXPECT(plan->rules[3].members == ANY_MEMBERS, "no members");
    EXPECT(rule_for(plan, (const int[]){0, 2, 4}, 3) == 0, "the first half");
    EXPECT(rule_for(plan, (const int[]){1, 3, 5}, 3) == 1, "the second half");
    EXPECT(rule_for(plan, (const int[]){4, 2, 0}, 3) == 3, "another order");
    EXPECT(rule_for(plan, (const int[]){0, 2, 5}, 3) == 3, "one other member");
    EXPECT(rule_for(plan, (const int[]){0, 2}, 2) == 3, "fewer");
    EXPECT(rule_for(plan, (const int[]){0, 2, 4, 6}, 4) == -1, "more");
    EXPECT(rule_for(plan, (const int[]){3, 2, 1, 0}, 4) == 4, "a size beside members");
    EXPECT(tree_plan_choose(plan, OPERATION_BCAST, 3, plan->rules[1].members, 8) == -1, "another operation");
    tree_plan_free(plan);
}

/* A spawned world reads the file of the job that spawned it. */
static void members_of_a_job_of_unknown_size_may_have_any_ranks(void) {
    static const char text[] = MEMBERS("[100000,0]");
    char message[500] = "";
    struct tree_plan *plan = tree_plan_parse(text, sizeof text - 1, 0, message, sizeof message);
    EXPECT(plan && plan->members.lists[0].ranks[0] == 100000, "%s", message);
    tree_plan_free(plan);
}

static void a_shape_name_is_a_tree_file(void) {
    static const char *const no_names[] = {"",        "kary",      "kary:",    "kary:0",  "kary:x",
                                           "kary:4x", "tree.json", "explicit", "k-chain", "tree"};
    char name[40], text[600], message[300];
    for (const struct shape *row = shapes; row->name; row++) {
        if (row->kind == SHAPE_EXPLICIT)
            continue;
        snprintf(name, sizeof name, "%s%s", row->name, row->counts ? ":4" : "");
        size_t length = tree_name_text(name, text, sizeof text);
        struct tree_plan *plan = tree_plan_parse(text, length, 8, message, sizeof message);
        EXPECT(length > 0 && plan, "%s: %s", name, message);
        if (!plan)
            continue;
        EXPECT(plan->trees[0].shape == shape_named(row->same_as ? row->same_as : row->name), "%s", name);
        EXPECT(!row->counts || plan->trees[0].fan_out == 4, "%s: %d", name, plan->trees[0].fan_out);
        for (int operation = 0; operation < OPERATIONS; operation++) {
            int expected_rule =
                operation <= OPERATION_BARRIER || operation == OPERATION_GATHER || operation == OPERATION_SCATTER;
            EXPECT(tree_plan_choose(plan, (enum operation)operation, 8, OTHER_MEMBERS, 8) == expected_rule - 1,
                   "%s: %d", name, operation);
        }
        tree_plan_free(plan);
    }
    for (size_t i = 0; i < sizeof no_names / sizeof *no_names; i++)
        EXPECT(tree_name_text(no_names[i], text, sizeof text) == 0, "%s", no_names[i]);
}

static void what_is_no_name_is_explained(void) {
    static const char *const pairs[][2] = {
        {"binomal", "did you mean binomial?"},
        {"kary4", "did you mean kary:K?"},
        {"kary", "did you mean kary:K?"},
        {"FLAT", "did you mean flat?"},
        {"bruk", "did you mean bruck?"},
        {"rings", "did you mean ring?"},
        {"heirarchical", "did you mean hierarchical?"},
        {"", "no file, shape or algorithm has this name; shapes are flat, chain, binary, kary:K, "},
        {"leaders:rings", "leaders: must be followed by all-to-all, recursive-doubling or ring"},
        {"kary:0", "kary: and k-chain: must be followed by a whole number from 1 to 1000000"}};
    char explanation[1024];
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        tree_name_explain(pairs[i][0], explanation, sizeof explanation);
        EXPECT(strstr(explanation, pairs[i][1]), "%s: %s", pairs[i][0], explanation);
    }
    tree_name_explain("star", explanation, sizeof explanation);
    for (const struct shape *row = shapes; row->name; row++)
        EXPECT((strstr(explanation, row->name) != NULL) == (row->kind != SHAPE_EXPLICIT), "%s: %s", row->name,
               explanation);
    for (const struct algorithm *row = algorithms; row->name; row++)
        EXPECT(row->properties & BY_TREE || strstr(explanation, row->name), "%s: %s", row->name, explanation);
}

/* On command lines, the same option takes names of algorithms and of shapes, so no name may mean both. */
static void no_name_is_both(void) {
    for (const struct algorithm *row = algorithms; row->name; row++)
        EXPECT(!shape_named(row->name), "%s", row->name);
}

/* The name's tree file runs every operation that the algorithm supports. The library runs the others. */
static void an_algorithms_name_is_a_tree_file(void) {
    char text[600], message[300];
    for (const struct algorithm *row = algorithms; row->name; row++) {
        if (row->properties & BY_TREE)
            continue;
        size_t length = tree_name_text(row->name, text, sizeof text);
        struct tree_plan *plan = tree_plan_parse(text, length, 8, message, sizeof message);
        EXPECT(length > 0 && plan, "%s: %s", row->name, message);
        for (int i = 0; plan && i < OPERATIONS; i++) {
            const struct algorithm *algorithm = algorithm_find(row->name, (enum operation)i);
            int rule = tree_plan_choose(plan, (enum operation)i, 8, OTHER_MEMBERS, 8);
            EXPECT((rule == 0) == (algorithm != NULL), "%s, %s", row->name, operation_name((enum operation)i));
            EXPECT(rule < 0 || plan->rules[0].algorithms[i] == algorithm, "%s", row->name);
        }
        tree_plan_free(plan);
    }
}

static void a_pipeline_is_a_chain_in_segments(void) {
    static const char text[] = "{\"schema_version\":1,\"rules\":[{\"operations\":[\"MPI_Bcast\"],\"algorithm\":"
                               "\"pipeline\"},{\"operations\":[\"MPI_Reduce\"],\"algorithm\":\"pipeline\","
                               "\"segment_bytes\":512}]}";
    char message[300];
    struct tree_plan *plan = tree_plan_parse(text, sizeof text - 1, 8, message, sizeof message);
    EXPECT(plan && plan->tree_count == 1 && plan->trees[0].shape == shape_named("chain"), "%s", message);
    EXPECT(plan && plan->rules[0].segment_bytes == 65536 && plan->rules[1].segment_bytes == 512, "segments");
    tree_plan_free(plan);
}

static void leaders_are_named_with_their_exchange(void) {
    char text[600], message[300], name[60];
    for (int i = 0; i < GROUPS_EXCHANGES; i++) {
        snprintf(name, sizeof name, "leaders:%s", groups_exchange_names[i]);
        size_t length = tree_name_text(name, text, sizeof text);
        struct tree_plan *plan = tree_plan_parse(text, length, 8, message, sizeof message);
        EXPECT(plan && strcmp(plan->name, name) == 0, "%s: %s", name, message);
        EXPECT(plan && (int)plan->rules[0].groups.exchange == i && plan->rules[0].groups.level == GROUPS_CLUSTER &&
                   !plan->rules[0].groups.group_tree,
               "%s", name);
        tree_plan_free(plan);
    }
    EXPECT(tree_name_text("leaders:", text, sizeof text) == 0, "leaders:");
    EXPECT(tree_name_text("ring:ring", text, sizeof text) == 0, "ring:ring");
}

static void groups_are_read(void) {
    static const char text[] = RULES("[{\"operations\":[\"MPI_Allreduce\"],\"algorithm\":\"leaders\",\"level\":"
                                     "\"host\",\"inside\":\"t\",\"between\":\"recursive-doubling\"}]");
    char message[300];
    struct tree_plan *plan = tree_plan_parse(text, sizeof text - 1, 8, message, sizeof message);
    EXPECT(plan, "%s", message);
    const struct groups_spec expectation = {GROUPS_HOST, EXCHANGE_DOUBLING, plan ? &plan->trees[0] : NULL};
    EXPECT(plan && memcmp(&plan->rules[0].groups, &expectation, sizeof expectation) == 0, "groups");
    tree_plan_free(plan);
}

int main(void) {
    leaders_are_named_with_their_exchange();
    groups_are_read();
    an_algorithms_name_is_a_tree_file();
    a_pipeline_is_a_chain_in_segments();
    every_mistake_is_named();
    a_tree_for_a_larger_job_is_passed_over();
    a_message_is_cut_to_the_room_there_is();
    the_first_rule_that_fits_decides();
    members_match_in_their_order();
    members_of_a_job_of_unknown_size_may_have_any_ranks();
    a_shape_name_is_a_tree_file();
    what_is_no_name_is_explained();
    no_name_is_both();
    return expect_failures != 0;
}
