/* Reads one tree of a tree file: its shape and, if explicit, every edge. Checks that the edges form a tree. */
#include "plan/tree_spec_file.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "hopscope/nearest.h"
#include "plan/complaint.h"
#include "plan/listing.h"

/* Lists the shapes: "flat, chain" and so on. simple: only those that a level of a hierarchy may have. */
static char *list_shapes(bool simple, char *text, size_t capacity) {
    struct listing list = listing_in(text, capacity);
    for (const struct shape *row = shapes; row->name; row++)
        if (row->same_as)
            listing_add(&list, "%s (which is %s)", row->name, row->same_as);
        else if (!simple || row->kind == SHAPE_SIMPLE)
            listing_add(&list, "%s", row->name);
    return text;
}

/* The shape that an object's `shape` names. simple: only simple shapes are allowed. NULL with a complaint. */
static const struct shape *find_shape(struct complaint *c, const struct json *object, const char *label, bool simple) {
    char names[300];
    if (!expect_type(c, object, JSON_OBJECT, label))
        return NULL;
    const struct json *name = json_get(object, "shape");
    if (!name) {
        complain(c, object, "%s has no `shape`; it must be one of %s", label, list_shapes(simple, names, sizeof names));
        return NULL;
    }
    if (!expect_type(c, name, JSON_STRING, "`shape`"))
        return NULL;
    const struct shape *shape = shape_named(name->string);
    if (shape && (!simple || shape->kind == SHAPE_SIMPLE))
        return shape;
    struct nearest nearest = nearest_to(name->string, strlen(name->string));
    for (const struct shape *row = shapes; row->name; row++)
        if (!simple || row->kind == SHAPE_SIMPLE)
            nearest_try(&nearest, row->name);
    bool numbered = strchr(name->string, ':') != NULL;
    if (nearest.name)
        complain(c, name, "%s has the unknown shape `%.40s`; did you mean `%s`?%s", label, name->string, nearest.name,
                 numbered ? " Put the number into `fan_out`" : "");
    else
        complain(c, name, "%s has the unknown shape `%.40s`; it must be one of %s%s", label, name->string,
                 list_shapes(simple, names, sizeof names), numbered ? "; put the number into `fan_out`" : "");
    return NULL;
}

static bool read_simple(struct complaint *c, const struct json *object, const char *label, const struct shape *shape,
                        int *fan_out) {
    static const char *const keys[] = {"shape", "fan_out", NULL};
    const struct json *width = json_get(object, "fan_out");
    int64_t value = 1;
    if (!expect_keys(c, object, label, keys))
        return false;
    if (shape->counts && !width)
        return complain(c, object, "%s is %s but has no `fan_out`; give %s", label, shape->name, shape->counts);
    if (width && !read_integer(c, width, "`fan_out`", 1, INT_MAX, &value))
        return false;
    *fan_out = shape->counts ? (int)value : shape->fan_out;
    return true;
}

static bool read_hierarchical(struct complaint *c, const struct json *object, const char *label,
                              struct tree_spec *spec) {
    static const char *const keys[] = {"shape", "clusters", "hosts", "ranks", NULL};
    struct tree_level *levels[] = {&spec->clusters, &spec->hosts, &spec->ranks};
    if (!expect_keys(c, object, label, keys))
        return false;
    for (int i = 0; i < 3; i++) {
        *levels[i] = (struct tree_level){shape_named("flat"), 0};
        const struct json *level = json_get(object, keys[i + 1]);
        char level_label[100];
        snprintf(level_label, sizeof level_label, "`%s` of %s", keys[i + 1], label);
        if (!level)
            continue;
        levels[i]->shape = find_shape(c, level, level_label, true);
        if (!levels[i]->shape || !read_simple(c, level, level_label, levels[i]->shape, &levels[i]->fan_out))
            return false;
    }
    return true;
}

static bool read_parents(struct complaint *c, const struct json *parents, const char *label, struct tree_spec *spec) {
    if (!expect_type(c, parents, JSON_ARRAY, "`parents`"))
        return false;
    if (parents->length == 0)
        return complain(c, parents, "`parents` of %s is empty; give one entry per rank, null for the root", label);
    int size = (int)parents->length;
    spec->size = size;
    spec->root = -1;
    spec->parents = malloc((size_t)size * sizeof(int));
    spec->first_child = calloc((size_t)size + 2, sizeof(int));
    spec->children = malloc((size_t)size * sizeof(int));
    if (!spec->parents || !spec->first_child || !spec->children)
        return complain(c, parents, "out of memory for a tree of %d ranks", size);
    for (int rank = 0; rank < size; rank++) {
        const struct json *item = &parents->items[rank];
        if (item->type == JSON_NULL) {
            if (spec->root >= 0)
                return complain(c, item, "%s has two roots, ranks %d and %d; exactly one parent must be null", label,
                                spec->root, rank);
            spec->root = rank;
            spec->parents[rank] = -1;
            continue;
        }
        if (item->type != JSON_NUMBER || !item->is_integer)
            return complain(c, item, "the parent of rank %d is %s; it must be a rank or, for the root, null", rank,
                            item->type == JSON_NUMBER ? "a fraction or too large" : json_type_word(item));
        if (item->integer < 0 || item->integer >= size)
            return complain(c, item, "the parent of rank %d is %lld, but the ranks of this tree are 0 to %d", rank,
                            (long long)item->integer, size - 1);
        if (item->integer == rank)
            return complain(c, item, "rank %d is its own parent; name another rank, or write null for the root", rank);
        spec->parents[rank] = (int)item->integer;
    }
    if (spec->root < 0)
        return complain(c, parents, "%s has no root; the parent of exactly one rank must be null", label);
    return true;
}

/* Refuses cycles. A rank is on a cycle or below one if `size` steps from parent to parent do not reach the root. */
static bool expect_no_cycle(struct complaint *c, const struct json *parents, const char *label,
                            const struct tree_spec *spec) {
    for (int rank = 0; rank < spec->size; rank++) {
        int ancestor = rank, steps = 0;
        while (ancestor != spec->root && steps++ <= spec->size)
            ancestor = spec->parents[ancestor];
        if (ancestor == spec->root)
            continue;
        char cycle[120];
        int used = snprintf(cycle, sizeof cycle, "%d", ancestor), next = spec->parents[ancestor];
        for (; next != ancestor && used < 90; next = spec->parents[next])
            used += snprintf(cycle + used, sizeof cycle - (size_t)used, " > %d", next);
        snprintf(cycle + used, sizeof cycle - (size_t)used, next == ancestor ? " > %d" : " > ... > %d", ancestor);
        return complain(c, &parents->items[ancestor], "%s has a cycle: %s; every rank must lead to the root %d", label,
                        cycle, spec->root);
    }
    return true;
}

static void list_children(struct tree_spec *spec) {
    for (int rank = 0; rank < spec->size; rank++)
        if (spec->parents[rank] >= 0)
            spec->first_child[spec->parents[rank] + 2]++;
    for (int rank = 2; rank <= spec->size; rank++)
        spec->first_child[rank] += spec->first_child[rank - 1];
    for (int rank = 0; rank < spec->size; rank++)
        if (spec->parents[rank] >= 0)
            spec->children[spec->first_child[spec->parents[rank] + 1]++] = rank;
}

static bool read_order(struct complaint *c, const struct json *object, const char *label, struct tree_spec *spec) {
    if (!expect_type(c, object, JSON_OBJECT, "`children`"))
        return false;
    for (size_t i = 0; i < object->length; i++) {
        const struct json *list = &object->items[i];
        char *end, list_label[80];
        long rank = strtol(object->keys[i], &end, 10);
        if (object->keys[i][0] < '0' || object->keys[i][0] > '9' || *end || rank >= spec->size)
            return complain(c, list, "`children` of %s names `%.30s`, but its ranks are 0 to %d", label,
                            object->keys[i], spec->size - 1);
        snprintf(list_label, sizeof list_label, "the children of rank %ld", rank);
        if (!expect_type(c, list, JSON_ARRAY, list_label))
            return false;
        int first = spec->first_child[rank], count = spec->first_child[rank + 1] - first;
        if (list->length != (size_t)count)
            return complain(c, list,
                            "rank %ld has %d children according to `parents`, but `children` lists %zu; list each once",
                            rank, count, list->length);
        for (int k = 0; k < count; k++) {
            int64_t child = 0;
            if (!read_integer(c, &list->items[k], "a child", 0, spec->size - 1, &child))
                return false;
            if (spec->parents[child] != rank)
                return complain(c, &list->items[k], "rank %lld is listed as a child of %ld, but its parent is %d",
                                (long long)child, rank, spec->parents[child]);
            for (int previous = 0; previous < k; previous++)
                if (spec->children[first + previous] == child)
                    return complain(c, &list->items[k],
                                    "rank %lld is listed twice among the children of %ld; list each "
                                    "once",
                                    (long long)child, rank);
            spec->children[first + k] = (int)child;
        }
    }
    return true;
}

static bool read_explicit(struct complaint *c, const struct json *object, const char *label, struct tree_spec *spec) {
    static const char *const keys[] = {"shape", "parents", "children", NULL};
    const struct json *parents = json_get(object, "parents"), *children = json_get(object, "children");
    if (!expect_keys(c, object, label, keys))
        return false;
    if (!parents)
        return complain(c, object, "%s is explicit but has no `parents`; list the parent of every rank", label);
    if (!read_parents(c, parents, label, spec) || !expect_no_cycle(c, parents, label, spec))
        return false;
    list_children(spec);
    return !children || read_order(c, children, label, spec);
}

bool tree_spec_read(struct complaint *c, const char *name, const struct json *value, struct tree_spec *spec) {
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.:+-";
    size_t length = strlen(name);
    if (length < 1 || length > 40 || strspn(name, allowed) != length)
        return complain(c, value, "`%.60s` cannot name a tree; use 1 to 40 letters, digits and any of _ . : + -", name);
    memcpy(spec->name, name, length + 1);
    char label[60];
    snprintf(label, sizeof label, "the tree `%s`", name);
    spec->shape = find_shape(c, value, label, false);
    if (!spec->shape)
        return false;
    if (spec->shape->kind == SHAPE_HIERARCHICAL)
        return read_hierarchical(c, value, label, spec);
    if (spec->shape->kind == SHAPE_EXPLICIT)
        return read_explicit(c, value, label, spec);
    return read_simple(c, value, label, spec->shape, &spec->fan_out);
}

struct tree_spec *tree_spec_parse(const char *text, size_t length, char *message, size_t capacity) {
    struct complaint complaint = {message, capacity};
    struct json_error error;
    struct json *value = json_parse(text, length, &error);
    if (!value) {
        snprintf(message, capacity, "%d:%d: %s", error.line, error.column, error.message);
        return NULL;
    }
    struct tree_spec *spec = calloc(1, sizeof *spec);
    if (!spec)
        complain(&complaint, value, "out of memory");
    else if (!tree_spec_read(&complaint, "tree", value, spec)) {
        tree_spec_free(spec);
        spec = NULL;
    }
    json_free(value);
    return spec;
}

void tree_spec_free(struct tree_spec *spec) {
    if (spec)
        tree_spec_clear(spec);
    free(spec);
}

void tree_spec_clear(struct tree_spec *spec) {
    free(spec->parents);
    free(spec->first_child);
    free(spec->children);
}
