#include "plan/tree_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hopscope/nearest.h"
#include "plan/algorithm.h"
#include "plan/groups.h"
#include "plan/listing.h"

enum { LARGEST_FAN_OUT = 1000000 };

/* True if the user can select the shape by its name alone. An explicit tree needs a file. */
static bool has_name(const struct shape *shape) {
    return shape->kind != SHAPE_EXPLICIT;
}

/* The shape that a word such as `kary:4` or `kary:` names. Sets *number to the text after the colon. NULL if no shape
 * that takes a number has this name. */
static const struct shape *numbered_shape(const char *word, const char **number) {
    for (const struct shape *row = shapes; row->name; row++) {
        size_t length = strlen(row->name);
        if (row->counts && strncmp(word, row->name, length) == 0 && word[length] == ':') {
            *number = word + length + 1;
            return row;
        }
    }
    return NULL;
}

/* Writes the JSON object of the tree that a word such as `kary:4` names. False if the word is not a valid name. */
static bool define(const char *word, char *definition, size_t capacity) {
    const char *number;
    const struct shape *shape = numbered_shape(word, &number);
    if (shape) {
        char *end;
        long fan_out = strtol(number, &end, 10);
        snprintf(definition, capacity, "{\"shape\": \"%s\", \"fan_out\": %ld}", shape->name, fan_out);
        return !*end && number[0] >= '0' && number[0] <= '9' && fan_out >= 1 && fan_out <= LARGEST_FAN_OUT;
    }
    shape = shape_named(word);
    if (!shape || shape->counts || !has_name(shape))
        return false;
    snprintf(definition, capacity, "{\"shape\": \"%s\"}", shape->same_as ? shape->same_as : shape->name);
    return true;
}

/* The algorithm that a word such as `leaders:ring` names. Sets *suffix to the text after the colon. NULL if no
 * algorithm with groups has this name. */
static const char *algorithm_prefix(const char *word, const char **suffix) {
    for (const struct algorithm *row = algorithms; row->name; row++) {
        size_t length = strlen(row->name);
        if (row->properties & IN_GROUPS && strncmp(word, row->name, length) == 0 && word[length] == ':') {
            *suffix = word + length + 1;
            return row->name;
        }
    }
    return NULL;
}

static bool is_exchange(const char *word) {
    for (int i = 0; i < GROUPS_EXCHANGES; i++)
        if (strcmp(word, groups_exchange_names[i]) == 0)
            return true;
    return false;
}

static char *list_operations(uint32_t operations, char *text, size_t capacity) {
    struct listing list = listing_in(text, capacity);
    for (int i = 0; i < OPERATIONS; i++)
        if (operations & operation_bit((enum operation)i))
            listing_add(&list, "\"%s\"", operation_name((enum operation)i));
    return text;
}

size_t tree_name_text(const char *name, char *text, size_t capacity) {
    char definition[100], operations[400], exchange[60] = "";
    const char *suffix, *algorithm = algorithm_prefix(name, &suffix);
    if (algorithm && is_exchange(suffix))
        snprintf(exchange, sizeof exchange, ", \"between\": \"%s\"", suffix);
    else
        algorithm = name;
    uint32_t served_operations = *name ? algorithm_operations(algorithm) : 0;
    int length = 0;
    if (served_operations) {
        list_operations(served_operations, operations, sizeof operations);
        length = snprintf(text, capacity,
                          "{\"schema_version\": 1, \"name\": \"%s\", \"rules\": [{\"operations\": [%s], "
                          "\"algorithm\": \"%s\"%s}]}\n",
                          name, operations, algorithm, exchange);
    } else if (define(name, definition, sizeof definition)) {
        const struct shape *shape = shape_named(name);
        const char *tree = shape && shape->same_as ? shape->same_as : name;
        list_operations(algorithm_operations(NULL), operations, sizeof operations);
        length = snprintf(text, capacity,
                          "{\"schema_version\": 1, \"name\": \"%s\", \"trees\": {\"%s\": %s}, \"rules\": "
                          "[{\"operations\": [%s], \"reduce_tree\": \"%s\"}]}\n",
                          tree, tree, definition, operations, tree);
    }
    return length < 0 || (size_t)length >= capacity ? 0 : (size_t)length;
}

/* Lists the shapes that a name can select; numbered: only those that take a number, as in `kary:4`. Prints `number` in
 * the place of ":4". */
static char *list_shapes(bool numbered, const char *number, const char *last, char *text, size_t capacity) {
    struct listing list = listing_in(text, capacity);
    for (const struct shape *row = shapes; row->name; row++)
        if (has_name(row) && (row->counts || !numbered))
            listing_add(&list, "%s%s", row->name, row->counts ? number : "");
    return listing_end(&list, last);
}

void tree_name_explain(const char *word, char *text, size_t capacity) {
    char choices[300], algorithm_list[300];
    const char *number, *suffix, *algorithm = algorithm_prefix(word, &suffix);
    if (algorithm) {
        struct listing list = listing_in(choices, sizeof choices);
        for (int i = 0; i < GROUPS_EXCHANGES; i++)
            listing_add(&list, "%s", groups_exchange_names[i]);
        snprintf(text, capacity, "%s: must be followed by %s", algorithm, listing_end(&list, " or "));
        return;
    }
    if (numbered_shape(word, &number)) {
        snprintf(text, capacity, "%s must be followed by a whole number from 1 to %d",
                 list_shapes(true, ":", " and ", choices, sizeof choices), LARGEST_FAN_OUT);
        return;
    }
    struct nearest nearest = nearest_to(word, strlen(word));
    for (const struct shape *row = shapes; row->name; row++)
        if (has_name(row))
            nearest_try(&nearest, row->name);
    algorithm_nearest(&nearest);
    const struct shape *shape = nearest.name ? shape_named(nearest.name) : NULL;
    if (nearest.name)
        snprintf(text, capacity, "no file, shape or algorithm has this name; did you mean %s%s?", nearest.name,
                 shape && shape->counts ? ":K" : "");
    else
        snprintf(text, capacity, "no file, shape or algorithm has this name; shapes are %s, algorithms are %s",
                 list_shapes(false, ":K", " and ", choices, sizeof choices),
                 algorithm_names(OPERATIONS, algorithm_list, sizeof algorithm_list));
}
