/* Reads one rule of a tree file: the calls to which it applies, and the trees or the algorithm that it names. */
#include "plan/tree_rule_file.h"

#include <string.h>

#include "hopscope/nearest.h"
#include "plan/complaint.h"
#include "plan/listing.h"

/* The default segment size of a pipeline, long enough that bandwidth matters more than the fixed cost of a message. */
enum { PIPELINE_SEGMENT_BYTES = 65536 };

static bool read_operations(struct complaint *c, const struct json *list, struct tree_rule *rule) {
    if (!expect_type(c, list, JSON_ARRAY, "`operations`"))
        return false;
    if (list->length == 0)
        return complain(c, list, "`operations` is empty; name at least one, such as \"MPI_Allreduce\"");
    for (size_t i = 0; i < list->length; i++) {
        const struct json *item = &list->items[i];
        if (!expect_type(c, item, JSON_STRING, "an operation"))
            return false;
        enum operation operation = operation_named(item->string);
        if (operation == OPERATIONS) {
            char names[400];
            struct listing list = listing_in(names, sizeof names);
            for (int k = 0; k < OPERATIONS; k++)
                listing_add(&list, "%s", operation_name((enum operation)k));
            return complain(c, item, "unknown operation `%.40s`; it must be %s", item->string,
                            listing_end(&list, " or "));
        }
        rule->operations[operation] = true;
    }
    return true;
}

/* The JSON element in which the rule lists an operation, for messages about that element. */
static const struct json *mention(const struct json *operations, enum operation operation) {
    size_t i = 0;
    while (strcmp(operations->items[i].string, operation_name(operation)) != 0)
        i++;
    return &operations->items[i];
}

/* Finds the generator for each operation: from the algorithm `name` or, if it is NULL, from the rule's trees. */
static bool find_algorithms(struct complaint *c, const struct json *operations, const char *name,
                            struct tree_rule *rule) {
    char text[200];
    for (int i = 0; i < OPERATIONS; i++) {
        enum operation operation = (enum operation)i;
        if (!rule->operations[i])
            continue;
        rule->algorithms[i] = algorithm_find(name, operation);
        if (rule->algorithms[i])
            continue;
        algorithm_names(operation, text, sizeof text);
        if (!name)
            return complain(c, mention(operations, operation), "%s does not run over a tree; give `algorithm`: %s",
                            operation_name(operation), text);
        if (!text[0])
            return complain(c, mention(operations, operation),
                            "the algorithm %s does not support %s; give `reduce_tree` or `broadcast_tree` for it", name,
                            operation_name(operation));
        return complain(c, mention(operations, operation), "the algorithm %s does not support %s; those that do are %s",
                        name, operation_name(operation), text);
    }
    return true;
}

/* Refuses `bytes` in a rule for operations whose lengths not all members know: members could choose different rules. */
static bool expect_known_bytes(struct complaint *c, const struct json *operations, const struct json *bytes,
                               const struct tree_rule *rule) {
    for (int i = 0; bytes && i < OPERATIONS; i++)
        if (rule->operations[i] && operation_hides_bytes((enum operation)i))
            return complain(c, mention(operations, (enum operation)i),
                            "`bytes` cannot select %s, because each rank knows only its own counts; move it to a rule "
                            "without `bytes`",
                            operation_name((enum operation)i));
    return true;
}

static bool read_range(struct complaint *c, const struct json *object, const char *label, struct tree_range *range) {
    static const char *const keys[] = {"min", "max", NULL};
    *range = (struct tree_range){0, UINT64_MAX};
    if (!object)
        return true;
    if (!expect_type(c, object, JSON_OBJECT, label) || !expect_keys(c, object, label, keys))
        return false;
    const struct json *min = json_get(object, "min"), *max = json_get(object, "max");
    int64_t value = 0;
    if (min) {
        if (!read_integer(c, min, "`min`", 0, INT64_MAX, &value))
            return false;
        range->min = (uint64_t)value;
    }
    if (max) {
        if (!read_integer(c, max, "`max`", 0, INT64_MAX, &value))
            return false;
        range->max = (uint64_t)value;
    }
    if (range->min > range->max)
        return complain(c, object, "%s has min %llu above max %llu, so no call matches; swap them", label,
                        (unsigned long long)range->min, (unsigned long long)range->max);
    return true;
}

static bool read_members(struct complaint *c, const struct json *members, const struct json *comm_size, int world_size,
                         struct tree_plan *plan, struct tree_rule *rule) {
    rule->members = ANY_MEMBERS;
    if (!members)
        return true;
    if (!rank_lists_read(c, members, world_size, &plan->members, &rule->members))
        return false;
    if (members->length < rule->comm_size.min || members->length > rule->comm_size.max)
        return complain(c, comm_size,
                        "`comm_size` leaves out the %zu ranks of `members`, so no call matches; remove "
                        "`comm_size`",
                        members->length);
    return true;
}

static bool find_tree(struct complaint *c, const struct json *name, const char *label, const struct tree_plan *plan,
                      int *index) {
    if (name->type != JSON_STRING)
        return complain(c, name, "%s is %s; it must be the name of a tree in `trees`", label, json_type_word(name));
    for (*index = 0; *index < plan->tree_count; ++*index)
        if (strcmp(plan->trees[*index].name, name->string) == 0)
            return true;
    char names[200];
    struct listing list = listing_in(names, sizeof names);
    for (int i = 0; i < plan->tree_count; i++)
        listing_add(&list, "`%s`", plan->trees[i].name);
    return complain(c, name, "%s names the tree `%.40s`, which is not in `trees`; known trees are %s", label,
                    name->string, names);
}

/* Returns the index of the pipeline's tree, a chain. The first rule that selects the pipeline adds it to the plan. */
static int pipeline_tree(struct tree_plan *plan) {
    const struct shape *chain = shape_named("chain");
    for (int i = 0; i < plan->tree_count; i++)
        if (strcmp(plan->trees[i].name, "pipeline") == 0 && plan->trees[i].shape == chain)
            return i;
    plan->trees[plan->tree_count] = (struct tree_spec){.name = "pipeline", .shape = chain};
    return plan->tree_count++;
}

static bool read_algorithm(struct complaint *c, const struct json *object, const struct json *operations,
                           const struct json *algorithm, struct tree_plan *plan, struct tree_rule *rule) {
    static const char *const not_beside[] = {"native", "reduce_tree", "broadcast_tree", "combine", NULL};
    char text[200];
    if (!expect_type(c, algorithm, JSON_STRING, "`algorithm`"))
        return false;
    struct nearest nearest = nearest_to(algorithm->string, strlen(algorithm->string));
    if (!algorithm_operations(algorithm->string))
        algorithm_nearest(&nearest);
    if (nearest.name)
        return complain(c, algorithm, "unknown algorithm `%.40s`; did you mean `%s`?", algorithm->string, nearest.name);
    if (!algorithm_operations(algorithm->string))
        return complain(c, algorithm, "unknown algorithm `%.40s`; it must be %s", algorithm->string,
                        algorithm_names(OPERATIONS, text, sizeof text));
    for (const char *const *key = not_beside; *key; key++)
        if (json_get(object, *key))
            return complain(c, json_get(object, *key), "this rule has both `%s` and `algorithm`; remove one of them",
                            *key);
    if (!find_algorithms(c, operations, algorithm->string, rule))
        return false;
    if (strcmp(algorithm->string, "pipeline") == 0) {
        rule->reduce_tree = rule->broadcast_tree = pipeline_tree(plan);
        rule->segment_bytes = PIPELINE_SEGMENT_BYTES;
    }
    return true;
}

/* Reads one of a few words and sets *index to its index. word NULL: the first word is the default. */
static bool read_word(struct complaint *c, const struct json *word, const char *label, const char *const *words,
                      int count, int *index) {
    char names[120];
    struct listing list = listing_in(names, sizeof names);
    *index = 0;
    if (!word)
        return true;
    if (!expect_type(c, word, JSON_STRING, label))
        return false;
    struct nearest nearest = nearest_to(word->string, strlen(word->string));
    for (int i = 0; i < count; i++) {
        listing_add(&list, "%s", words[i]);
        nearest_try(&nearest, words[i]);
        if (strcmp(words[i], word->string) == 0) {
            *index = i;
            return true;
        }
    }
    if (nearest.name)
        return complain(c, word, "%s is `%.40s`; did you mean `%s`?", label, word->string, nearest.name);
    return complain(c, word, "%s is `%.40s`; it must be %s", label, word->string, listing_end(&list, " or "));
}

static bool in_groups(const struct tree_rule *rule) {
    for (int i = 0; i < OPERATIONS; i++)
        if (rule->algorithms[i] && rule->algorithms[i]->properties & IN_GROUPS)
            return true;
    return false;
}

static bool read_groups(struct complaint *c, const struct json *object, const struct tree_plan *plan,
                        struct tree_rule *rule) {
    static const char *const keys[] = {"level", "inside", "between", NULL};
    const struct json *group_tree = json_get(object, "inside");
    int level, exchange, tree;
    for (const char *const *key = keys; *key && !in_groups(rule); key++)
        if (json_get(object, *key))
            return complain(c, json_get(object, *key), "`%s` is for the algorithm leaders; remove it, or choose that",
                            *key);
    if (!read_word(c, json_get(object, "level"), "`level`", groups_level_names, GROUPS_LEVELS, &level) ||
        !read_word(c, json_get(object, "between"), "`between`", groups_exchange_names, GROUPS_EXCHANGES, &exchange))
        return false;
    rule->groups = (struct groups_spec){(enum groups_level)level, (enum groups_exchange)exchange, NULL};
    if (!group_tree)
        return true;
    if (!find_tree(c, group_tree, "`inside`", plan, &tree))
        return false;
    rule->groups.group_tree = &plan->trees[tree];
    if (plan->trees[tree].shape->kind == SHAPE_EXPLICIT)
        return complain(c, group_tree,
                        "`inside` names the explicit tree `%.40s`, but groups differ in size; name a shape",
                        group_tree->string);
    return true;
}

/* Refuses an explicit tree that has another size than the rule's list `members`: the rule could never use it. */
static bool expect_fitting(struct complaint *c, const struct json *name, const struct tree_plan *plan, int tree,
                           const struct tree_rule *rule) {
    int size = plan->trees[tree].size;
    if (!name || rule->members == ANY_MEMBERS || size == 0 || size == plan->members.lists[rule->members].size)
        return true;
    return complain(c, name, "the tree `%s` is for %d ranks, but `members` lists %d; name a shape, or a tree for these",
                    plan->trees[tree].name, size, plan->members.lists[rule->members].size);
}

/* Refuses an explicit tree for more ranks than the job has, unless the rule's `comm_size` shows that it is meant for
 * larger jobs only. */
static bool expect_in_job(struct complaint *c, const struct json *name, const struct tree_plan *plan, int tree,
                          int world_size, const struct tree_rule *rule) {
    int size = plan->trees[tree].size;
    if (!name || world_size == 0 || size <= world_size || rule->comm_size.min > (uint64_t)world_size)
        return true;
    return complain(
        c, name,
        "the tree `%s` is for %d ranks, but the job has only %d; give this rule `comm_size`: {\"min\": %d}, "
        "so that a smaller job passes over it",
        plan->trees[tree].name, size, world_size, size);
}

static bool read_trees(struct complaint *c, const struct json *object, const struct json *operations, int world_size,
                       const struct tree_plan *plan, struct tree_rule *rule) {
    const struct json *reduce = json_get(object, "reduce_tree");
    const struct json *broadcast = json_get(object, "broadcast_tree");
    if (!reduce && !broadcast)
        return complain(
            c, object, "this rule has no tree; give `reduce_tree`, `broadcast_tree` or `algorithm`, or `native`: true");
    if (reduce && !find_tree(c, reduce, "`reduce_tree`", plan, &rule->reduce_tree))
        return false;
    if (broadcast && !find_tree(c, broadcast, "`broadcast_tree`", plan, &rule->broadcast_tree))
        return false;
    if (!reduce)
        rule->reduce_tree = rule->broadcast_tree;
    if (!broadcast)
        rule->broadcast_tree = rule->reduce_tree;
    return expect_in_job(c, reduce, plan, rule->reduce_tree, world_size, rule) &&
           expect_in_job(c, broadcast, plan, rule->broadcast_tree, world_size, rule) &&
           expect_fitting(c, reduce, plan, rule->reduce_tree, rule) &&
           expect_fitting(c, broadcast, plan, rule->broadcast_tree, rule) && find_algorithms(c, operations, NULL, rule);
}

static bool read_segments(struct complaint *c, const struct json *segment, struct tree_rule *rule) {
    int64_t bytes = 0;
    if (!segment)
        return true;
    if (!read_integer(c, segment, "`segment_bytes`", 0, INT64_MAX, &bytes))
        return false;
    for (int i = 0; i < OPERATIONS; i++)
        if (bytes > 0 && rule->algorithms[i] && !(rule->algorithms[i]->properties & CUTS))
            return complain(c, segment, "%s with %s does not cut messages into segments; remove `segment_bytes`",
                            operation_name((enum operation)i), rule->algorithms[i]->name);
    rule->segment_bytes = (uint64_t)bytes;
    return true;
}

bool tree_rule_read(struct complaint *c, const struct json *object, int world_size, struct tree_plan *plan,
                    struct tree_rule *rule) {
    static const char *const keys[] = {"operations",     "comm_size",     "members", "bytes",   "native",
                                       "algorithm",      "level",         "inside",  "between", "reduce_tree",
                                       "broadcast_tree", "segment_bytes", "combine", NULL};
    if (!expect_type(c, object, JSON_OBJECT, "a rule") || !expect_keys(c, object, "a rule", keys))
        return false;
    const struct json *operations = json_get(object, "operations");
    const struct json *native = json_get(object, "native");
    const struct json *algorithm = json_get(object, "algorithm");
    const struct json *combine = json_get(object, "combine");
    const struct json *comm_size = json_get(object, "comm_size");
    const struct json *bytes = json_get(object, "bytes");
    rule->reduce_tree = rule->broadcast_tree = -1;
    if (!operations)
        return complain(c, object,
                        "this rule has no `operations`; list those it applies to, such as [\"MPI_Allreduce\"]");
    if (!read_operations(c, operations, rule) || !read_range(c, comm_size, "`comm_size`", &rule->comm_size) ||
        !read_members(c, json_get(object, "members"), comm_size, world_size, plan, rule) ||
        !read_range(c, bytes, "`bytes`", &rule->bytes) || !expect_known_bytes(c, operations, bytes, rule))
        return false;
    if (native && (native->type != JSON_BOOL || !native->boolean))
        return complain(c, native, "`native` can only be true; remove it otherwise");
    rule->native = native != NULL;
    if (algorithm && !read_algorithm(c, object, operations, algorithm, plan, rule))
        return false;
    if (!algorithm && !native && !read_trees(c, object, operations, world_size, plan, rule))
        return false;
    if (!read_groups(c, object, plan, rule))
        return false;
    if (combine) {
        if (combine->type != JSON_STRING ||
            (strcmp(combine->string, "fixed") != 0 && strcmp(combine->string, "arrival") != 0))
            return complain(c, combine, "`combine` must be \"fixed\" or \"arrival\"");
        rule->arrival_order = strcmp(combine->string, "arrival") == 0;
    }
    return read_segments(c, json_get(object, "segment_bytes"), rule);
}
