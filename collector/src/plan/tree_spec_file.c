/* One tree of a tree file: its shape, and of an explicit one every edge, checked to be a tree. */
#include "plan/tree_spec_file.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "hopscope/nearest.h"

#define SIMPLE_SHAPES                                                                                                  \
    "flat, chain, binary, kary, binomial (which is binomial-mpich), binomial-mpich, binomial-lam, k-chain"

static bool read_simple(struct complaint *c, const struct json *object, const char *where, const char *also,
                        enum tree_shape *shape, int *fan_out) {
    static const struct {
        const char *name;
        enum tree_shape shape;
    } shapes[] = {{"flat", TREE_FLAT},
                  {"chain", TREE_CHAIN},
                  {"binary", TREE_KARY},
                  {"kary", TREE_KARY},
                  {"binomial", TREE_BINOMIAL_MPICH},
                  {"binomial-mpich", TREE_BINOMIAL_MPICH},
                  {"binomial-lam", TREE_BINOMIAL_LAM},
                  {"k-chain", TREE_K_CHAIN}};
    static const char *const keys[] = {"shape", "fan_out", NULL};
    const struct json *name = json_get(object, "shape"), *width = json_get(object, "fan_out");
    size_t i = 0, count = sizeof shapes / sizeof *shapes;
    while (i < count && strcmp(shapes[i].name, name->string) != 0)
        i++;
    struct nearest meant = nearest_to(name->string, strlen(name->string));
    for (size_t k = 0; i == count && k < count; k++)
        nearest_try(&meant, shapes[k].name);
    if (i == count && *also) {
        nearest_try(&meant, "hierarchical");
        nearest_try(&meant, "explicit");
    }
    if (i == count && meant.name)
        return complain(c, name, "%s has the unknown shape `%.40s`; did you mean `%s`?%s", where, name->string,
                        meant.name, strchr(name->string, ':') ? " A number goes into `fan_out`" : "");
    if (i == count)
        return complain(c, name, "%s has the unknown shape `%.40s`; it must be one of " SIMPLE_SHAPES "%s%s", where,
                        name->string, also, strchr(name->string, ':') ? "; a number goes into `fan_out`" : "");
    if (!expect_keys(c, object, where, keys))
        return false;
    *shape = shapes[i].shape;
    *fan_out = 2;
    bool takes_width = strcmp(name->string, "kary") == 0 || *shape == TREE_K_CHAIN;
    if (takes_width && !width)
        return complain(c, object, "%s is %s but has no `fan_out`; give %s", where, name->string,
                        *shape == TREE_KARY ? "the children per rank" : "the number of chains");
    if (width) {
        int64_t value = 0;
        if (!read_integer(c, width, "`fan_out`", 1, INT_MAX, &value))
            return false;
        if (takes_width)
            *fan_out = (int)value;
    }
    return true;
}

static bool expect_shape(struct complaint *c, const struct json *object, const char *where) {
    if (!expect_type(c, object, JSON_OBJECT, where))
        return false;
    const struct json *shape = json_get(object, "shape");
    if (!shape)
        return complain(c, object, "%s has no `shape`; it must be one of " SIMPLE_SHAPES, where);
    return expect_type(c, shape, JSON_STRING, "`shape`");
}

static bool read_hierarchical(struct complaint *c, const struct json *object, const char *where,
                              struct tree_spec *spec) {
    static const char *const keys[] = {"shape", "clusters", "hosts", "ranks", NULL};
    struct tree_level *levels[] = {&spec->clusters, &spec->hosts, &spec->ranks};
    spec->shape = TREE_HIERARCHICAL;
    if (!expect_keys(c, object, where, keys))
        return false;
    for (int i = 0; i < 3; i++) {
        *levels[i] = (struct tree_level){TREE_FLAT, 2};
        const struct json *level = json_get(object, keys[i + 1]);
        char place[100];
        snprintf(place, sizeof place, "`%s` of %s", keys[i + 1], where);
        if (level && (!expect_shape(c, level, place) ||
                      !read_simple(c, level, place, "", &levels[i]->shape, &levels[i]->fan_out)))
            return false;
    }
    return true;
}

static bool read_parents(struct complaint *c, const struct json *parents, const char *where, int world_size,
                         struct tree_spec *spec) {
    if (!expect_type(c, parents, JSON_ARRAY, "`parents`"))
        return false;
    if (parents->length == 0)
        return complain(c, parents, "`parents` of %s is empty; give one entry per rank, null for the root", where);
    if (world_size > 0 && parents->length > (size_t)world_size)
        return complain(c, parents,
                        "%s is for %zu ranks, but the job has only %d, so rank %d does not exist; `parents` must have "
                        "at most %d entries",
                        where, parents->length, world_size, world_size, world_size);
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
                return complain(c, item, "%s has two roots, ranks %d and %d; null must be there exactly once", where,
                                spec->root, rank);
            spec->root = rank;
            spec->parents[rank] = -1;
            continue;
        }
        if (item->type != JSON_NUMBER || !item->is_integer)
            return complain(c, item, "the parent of rank %d is %s; it must be a rank or, for the root, null", rank,
                            item->type == JSON_NUMBER ? "a fraction or too large" : json_type_word(item));
        if (item->integer < 0 || item->integer >= size)
            return complain(c, item, "the parent of rank %d is %lld, which is no rank of this tree; it must be 0 to %d",
                            rank, (long long)item->integer, size - 1);
        if (item->integer == rank)
            return complain(c, item, "rank %d is its own parent; only the root has none, and that is written null",
                            rank);
        spec->parents[rank] = (int)item->integer;
    }
    if (spec->root < 0)
        return complain(c, parents, "%s has no root; the parent of exactly one rank must be null", where);
    return true;
}

/* A rank whose ancestors do not end at the root within size steps is on a cycle or above one. */
static bool expect_no_cycle(struct complaint *c, const struct json *parents, const char *where,
                            const struct tree_spec *spec) {
    for (int rank = 0; rank < spec->size; rank++) {
        int at = rank, steps = 0;
        while (at != spec->root && steps++ <= spec->size)
            at = spec->parents[at];
        if (at == spec->root)
            continue;
        char cycle[120];
        int used = snprintf(cycle, sizeof cycle, "%d", at), next = spec->parents[at];
        for (; next != at && used < 90; next = spec->parents[next])
            used += snprintf(cycle + used, sizeof cycle - (size_t)used, " > %d", next);
        snprintf(cycle + used, sizeof cycle - (size_t)used, next == at ? " > %d" : " > ... > %d", at);
        return complain(c, &parents->items[at], "%s has a cycle: %s; every rank must lead to the root %d", where, cycle,
                        spec->root);
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

static bool read_order(struct complaint *c, const struct json *object, const char *where, struct tree_spec *spec) {
    if (!expect_type(c, object, JSON_OBJECT, "`children`"))
        return false;
    for (size_t i = 0; i < object->length; i++) {
        const struct json *list = &object->items[i];
        char *end, what[80];
        long rank = strtol(object->keys[i], &end, 10);
        if (object->keys[i][0] < '0' || object->keys[i][0] > '9' || *end || rank >= spec->size)
            return complain(c, list, "`children` of %s names `%.30s`, which is no rank of it; it must be 0 to %d",
                            where, object->keys[i], spec->size - 1);
        snprintf(what, sizeof what, "the children of rank %ld", rank);
        if (!expect_type(c, list, JSON_ARRAY, what))
            return false;
        int first = spec->first_child[rank], count = spec->first_child[rank + 1] - first;
        if (list->length != (size_t)count)
            return complain(c, list, "rank %ld has %d children by `parents`, but %zu are listed; list each once", rank,
                            count, list->length);
        for (int k = 0; k < count; k++) {
            int64_t child = 0;
            if (!read_integer(c, &list->items[k], "a child", 0, spec->size - 1, &child))
                return false;
            if (spec->parents[child] != rank)
                return complain(c, &list->items[k], "rank %lld is listed as a child of %ld, but its parent is %d",
                                (long long)child, rank, spec->parents[child]);
            for (int earlier = 0; earlier < k; earlier++)
                if (spec->children[first + earlier] == child)
                    return complain(c, &list->items[k],
                                    "rank %lld is listed twice among the children of %ld; list each "
                                    "once",
                                    (long long)child, rank);
            spec->children[first + k] = (int)child;
        }
    }
    return true;
}

static bool read_explicit(struct complaint *c, const struct json *object, const char *where, int world_size,
                          struct tree_spec *spec) {
    static const char *const keys[] = {"shape", "parents", "children", NULL};
    const struct json *parents = json_get(object, "parents"), *children = json_get(object, "children");
    spec->shape = TREE_EXPLICIT;
    if (!expect_keys(c, object, where, keys))
        return false;
    if (!parents)
        return complain(c, object, "%s is explicit but has no `parents`; list the parent of every rank", where);
    if (!read_parents(c, parents, where, world_size, spec) || !expect_no_cycle(c, parents, where, spec))
        return false;
    list_children(spec);
    return !children || read_order(c, children, where, spec);
}

bool tree_spec_read(struct complaint *c, const char *name, const struct json *value, int world_size,
                    struct tree_spec *spec) {
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.:+-";
    size_t length = strlen(name);
    if (length < 1 || length > 40 || strspn(name, allowed) != length)
        return complain(c, value, "`%.60s` cannot name a tree; use 1 to 40 letters, digits and any of _ . : + -", name);
    memcpy(spec->name, name, length + 1);
    char where[60];
    snprintf(where, sizeof where, "the tree `%s`", name);
    if (!expect_shape(c, value, where))
        return false;
    const char *shape = json_get(value, "shape")->string;
    if (strcmp(shape, "hierarchical") == 0)
        return read_hierarchical(c, value, where, spec);
    if (strcmp(shape, "explicit") == 0)
        return read_explicit(c, value, where, world_size, spec);
    return read_simple(c, value, where, ", hierarchical, explicit", &spec->shape, &spec->fan_out);
}

void tree_spec_clear(struct tree_spec *spec) {
    free(spec->parents);
    free(spec->first_child);
    free(spec->children);
}
