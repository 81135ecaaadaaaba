/* Reads the rules of a tree file; the trees themselves are read by tree_spec_file.c. */
#include "plan/tree_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan/complaint.h"
#include "plan/tree_spec_file.h"

static const char *const operation_names[OPERATIONS] = {"MPI_Allreduce", "MPI_Reduce", "MPI_Bcast", "MPI_Barrier"};

static bool read_operations(struct complaint *c, const struct json *list, struct tree_rule *rule) {
    if (!expect_type(c, list, JSON_ARRAY, "`operations`"))
        return false;
    if (list->length == 0)
        return complain(c, list, "`operations` is empty; name at least one, such as \"MPI_Allreduce\"");
    for (size_t i = 0; i < list->length; i++) {
        const struct json *item = &list->items[i];
        int operation = 0;
        if (!expect_type(c, item, JSON_STRING, "an operation"))
            return false;
        while (operation < OPERATIONS && strcmp(operation_names[operation], item->string) != 0)
            operation++;
        if (operation == OPERATIONS)
            return complain(c, item,
                            "unknown operation `%.40s`; it must be MPI_Allreduce, MPI_Reduce, MPI_Bcast or MPI_Barrier",
                            item->string);
        rule->operations[operation] = true;
    }
    return true;
}

static bool read_range(struct complaint *c, const struct json *object, const char *what, struct tree_range *range) {
    static const char *const keys[] = {"min", "max", NULL};
    *range = (struct tree_range){0, UINT64_MAX};
    if (!object)
        return true;
    if (!expect_type(c, object, JSON_OBJECT, what) || !expect_keys(c, object, what, keys))
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
        return complain(c, object, "%s has min %llu above max %llu, so no call fits; swap them", what,
                        (unsigned long long)range->min, (unsigned long long)range->max);
    return true;
}

static bool find_tree(struct complaint *c, const struct json *name, const char *what, const struct tree_plan *plan,
                      int *index) {
    if (!expect_type(c, name, JSON_STRING, what))
        return false;
    for (*index = 0; *index < plan->tree_count; ++*index)
        if (strcmp(plan->trees[*index].name, name->string) == 0)
            return true;
    char known[200] = "";
    for (int i = 0; i < plan->tree_count; i++) {
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s`%s`", used ? ", " : "", plan->trees[i].name);
    }
    return complain(c, name, "%s names the tree `%.40s`, which is not in `trees`; there are %s", what, name->string,
                    known);
}

static bool read_rule(struct complaint *c, const struct json *object, const struct tree_plan *plan,
                      struct tree_rule *rule) {
    static const char *const keys[] = {"operations",     "comm_size",     "bytes",   "native", "reduce_tree",
                                       "broadcast_tree", "segment_bytes", "combine", NULL};
    if (!expect_type(c, object, JSON_OBJECT, "a rule") || !expect_keys(c, object, "a rule", keys))
        return false;
    const struct json *operations = json_get(object, "operations");
    const struct json *native = json_get(object, "native");
    const struct json *reduce = json_get(object, "reduce_tree");
    const struct json *broadcast = json_get(object, "broadcast_tree");
    const struct json *segment = json_get(object, "segment_bytes");
    const struct json *combine = json_get(object, "combine");
    if (!operations)
        return complain(c, object, "a rule without `operations`; list those it is for, such as [\"MPI_Allreduce\"]");
    if (!read_operations(c, operations, rule) ||
        !read_range(c, json_get(object, "comm_size"), "`comm_size`", &rule->comm_size) ||
        !read_range(c, json_get(object, "bytes"), "`bytes`", &rule->bytes))
        return false;
    if (native && (native->type != JSON_BOOL || !native->boolean))
        return complain(c, native, "`native` must be true where it is given; leave it out otherwise");
    rule->native = native != NULL;
    if (!native && !reduce && !broadcast)
        return complain(c, object, "a rule with no tree; give `reduce_tree` or `broadcast_tree`, or `native`: true");
    if (reduce && !find_tree(c, reduce, "`reduce_tree`", plan, &rule->reduce_tree))
        return false;
    if (broadcast && !find_tree(c, broadcast, "`broadcast_tree`", plan, &rule->broadcast_tree))
        return false;
    if (!reduce)
        rule->reduce_tree = rule->broadcast_tree;
    if (!broadcast)
        rule->broadcast_tree = rule->reduce_tree;
    if (segment) {
        int64_t bytes = 0;
        if (!read_integer(c, segment, "`segment_bytes`", 0, INT64_MAX, &bytes))
            return false;
        rule->segment_bytes = (uint64_t)bytes;
    }
    if (combine) {
        if (combine->type != JSON_STRING ||
            (strcmp(combine->string, "fixed") != 0 && strcmp(combine->string, "arrival") != 0))
            return complain(c, combine, "`combine` must be \"fixed\" or \"arrival\"");
        rule->arrival_order = strcmp(combine->string, "arrival") == 0;
    }
    return true;
}

static bool read_plan(struct complaint *c, const struct json *file, int world_size, struct tree_plan *plan) {
    static const char *const keys[] = {"schema_version", "name", "trees", "rules", NULL};
    if (!expect_type(c, file, JSON_OBJECT, "a tree file") || !expect_version(c, file) ||
        !expect_keys(c, file, "a tree file", keys))
        return false;
    const struct json *name = json_get(file, "name");
    const struct json *trees = json_get(file, "trees");
    const struct json *rules = json_get(file, "rules");
    if (name) {
        if (!expect_type(c, name, JSON_STRING, "`name`"))
            return false;
        if (name->length < 1 || name->length > 60)
            return complain(c, name, "`name` has %zu bytes; it must have 1 to 60", name->length);
        memcpy(plan->name, name->string, name->length);
    }
    if (!trees)
        return complain(c, file, "`trees` is missing; give at least one, such as {\"t\": {\"shape\": \"binomial\"}}");
    if (!rules)
        return complain(c, file, "`rules` is missing; give at least one, or every call goes native");
    if (!expect_type(c, trees, JSON_OBJECT, "`trees`") || !expect_type(c, rules, JSON_ARRAY, "`rules`"))
        return false;
    if (trees->length == 0)
        return complain(c, trees, "`trees` is empty; give at least one, such as {\"t\": {\"shape\": \"binomial\"}}");
    if (rules->length == 0)
        return complain(c, rules, "`rules` is empty; give at least one, or every call goes native");
    plan->trees = calloc(trees->length, sizeof *plan->trees);
    plan->rules = calloc(rules->length, sizeof *plan->rules);
    if (!plan->trees || !plan->rules)
        return complain(c, file, "out of memory for %zu trees and %zu rules", trees->length, rules->length);
    for (size_t i = 0; i < trees->length; i++) {
        plan->tree_count++;
        if (!tree_spec_read(c, trees->keys[i], &trees->items[i], world_size, &plan->trees[i]))
            return false;
    }
    for (size_t i = 0; i < rules->length; i++) {
        plan->rule_count++;
        if (!read_rule(c, &rules->items[i], plan, &plan->rules[i]))
            return false;
    }
    return true;
}

struct tree_plan *tree_plan_parse(const char *text, size_t length, int world_size, char *message, size_t capacity) {
    struct complaint complaint = {message, capacity};
    struct json_error error;
    struct json *file = json_parse(text, length, &error);
    if (!file) {
        snprintf(message, capacity, "%d:%d: %s", error.line, error.column, error.message);
        return NULL;
    }
    struct tree_plan *plan = calloc(1, sizeof *plan);
    if (!plan)
        complain(&complaint, file, "out of memory");
    else if (!read_plan(&complaint, file, world_size, plan)) {
        tree_plan_free(plan);
        plan = NULL;
    }
    json_free(file);
    return plan;
}

void tree_plan_free(struct tree_plan *plan) {
    if (!plan)
        return;
    for (int i = 0; i < plan->tree_count; i++)
        tree_spec_clear(&plan->trees[i]);
    free(plan->trees);
    free(plan->rules);
    free(plan);
}

static bool within(struct tree_range range, uint64_t value) {
    return value >= range.min && value <= range.max;
}

int tree_plan_choose(const struct tree_plan *plan, enum tree_operation operation, int comm_size, uint64_t bytes) {
    for (int i = 0; i < plan->rule_count; i++) {
        const struct tree_rule *rule = &plan->rules[i];
        if (rule->operations[operation] && within(rule->comm_size, (uint64_t)comm_size) && within(rule->bytes, bytes))
            return i;
    }
    return -1;
}

size_t tree_file_of_shape(const char *shape, char *out, size_t capacity) {
    static const char *const names[] = {"flat",           "chain",        "binary",       "binomial",
                                        "binomial-mpich", "binomial-lam", "hierarchical", NULL};
    char definition[100];
    const char *name = shape;
    if (strncmp(shape, "kary:", 5) == 0) {
        char *end;
        long fan_out = strtol(shape + 5, &end, 10);
        if (*end || end == shape + 5 || shape[5] < '0' || shape[5] > '9' || fan_out < 1 || fan_out > 1000000)
            return 0;
        snprintf(definition, sizeof definition, "{\"shape\": \"kary\", \"fan_out\": %ld}", fan_out);
    } else {
        const char *const *known = names;
        while (*known && strcmp(*known, shape) != 0)
            known++;
        if (!*known)
            return 0;
        if (strcmp(name, "binomial") == 0)
            name = "binomial-mpich";
        snprintf(definition, sizeof definition, "{\"shape\": \"%s\"}", name);
    }
    int length =
        snprintf(out, capacity,
                 "{\"schema_version\": 1, \"name\": \"%s\", \"trees\": {\"%s\": %s}, \"rules\": [{\"operations\": "
                 "[\"MPI_Allreduce\", \"MPI_Reduce\", \"MPI_Bcast\", \"MPI_Barrier\"], \"reduce_tree\": \"%s\"}]}\n",
                 name, name, definition, name);
    return length < 0 || (size_t)length >= capacity ? 0 : (size_t)length;
}
