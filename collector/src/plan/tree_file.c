/* Reads a tree file. tree_spec_file.c reads its trees, tree_rule_file.c its rules. */
#include "plan/tree_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan/complaint.h"
#include "plan/tree_rule_file.h"
#include "plan/tree_spec_file.h"

static bool names_group_tree(const struct json *rule) {
    const struct json *group_tree = json_get(rule, "inside");
    return group_tree && group_tree->type == JSON_STRING;
}

/* True if any rule needs the list `trees`. A rule that names an algorithm, or leaves calls to the library, needs it
 * only if its `inside` names a tree for the groups. An `inside` that is not a string is reported later, by the rule's
 * reader. */
static bool needs_trees(const struct json *rules) {
    for (size_t i = 0; i < rules->length; i++)
        if (rules->items[i].type != JSON_OBJECT || names_group_tree(&rules->items[i]) ||
            !(json_get(&rules->items[i], "algorithm") || json_get(&rules->items[i], "native")))
            return true;
    return rules->length == 0;
}

static bool read_plan(struct complaint *c, const struct json *file, int world_size, struct tree_plan *plan) {
    static const char *const keys[] = {"schema_version", "name", "alternate", "trees", "rules", NULL};
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
    const struct json *alternate = json_get(file, "alternate");
    int64_t period = 0;
    if (alternate && !read_integer(c, alternate, "`alternate`", 1, INT64_MAX, &period))
        return false;
    plan->alternate = (uint64_t)period;
    if (!rules)
        return complain(c, file, "`rules` is missing; give at least one, or every call goes native");
    if ((trees && !expect_type(c, trees, JSON_OBJECT, "`trees`")) || !expect_type(c, rules, JSON_ARRAY, "`rules`"))
        return false;
    if (!trees && needs_trees(rules))
        return complain(c, file, "`trees` is missing; give at least one, such as {\"t\": {\"shape\": \"binomial\"}}");
    size_t count = trees ? trees->length : 0;
    if (trees && count == 0)
        return complain(c, trees, "`trees` is empty; give at least one, such as {\"t\": {\"shape\": \"binomial\"}}");
    if (rules->length == 0)
        return complain(c, rules, "`rules` is empty; give at least one, or every call goes native");
    plan->trees = calloc(count + 1, sizeof *plan->trees); /* room for one more tree: the pipeline's */
    plan->rules = calloc(rules->length, sizeof *plan->rules);
    plan->members.lists = calloc(rules->length, sizeof *plan->members.lists);
    if (!plan->trees || !plan->rules || !plan->members.lists)
        return complain(c, file, "out of memory for %zu trees and %zu rules", count, rules->length);
    for (size_t i = 0; i < count; i++) {
        plan->tree_count++;
        if (!tree_spec_read(c, trees->keys[i], &trees->items[i], &plan->trees[i]))
            return false;
    }
    for (size_t i = 0; i < rules->length; i++) {
        plan->rule_count++;
        if (!tree_rule_read(c, &rules->items[i], world_size, plan, &plan->rules[i]))
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
    rank_lists_clear(&plan->members);
    free(plan);
}

static bool is_in_range(struct tree_range range, uint64_t value) {
    return value >= range.min && value <= range.max;
}

int tree_plan_choose(const struct tree_plan *plan, enum operation operation, int comm_size, int members,
                     uint64_t bytes) {
    for (int i = 0; i < plan->rule_count; i++) {
        const struct tree_rule *rule = &plan->rules[i];
        if (rule->operations[operation] && is_in_range(rule->comm_size, (uint64_t)comm_size) &&
            is_in_range(rule->bytes, bytes) && (rule->members == ANY_MEMBERS || rule->members == members))
            return i;
    }
    return -1;
}
