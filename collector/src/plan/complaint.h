/* Error messages about a file's text: `line:column: the fault; the remedy`. */
#ifndef HOPSCOPE_COMPLAINT_H
#define HOPSCOPE_COMPLAINT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "plan/listing.h"
#include "json/json.h"

struct complaint {
    char *message;
    size_t capacity;
};

/* Writes the message. Always returns false, so that a function that reports failure by false can return complain(...).
 */
__attribute__((format(printf, 3, 4))) static inline bool complain(struct complaint *complaint,
                                                                  const struct json *element, const char *format, ...) {
    int used = snprintf(complaint->message, complaint->capacity, "%d:%d: ", element->line, element->column);
    if (used < 0 || (size_t)used >= complaint->capacity)
        return false;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(complaint->message + used, complaint->capacity - (size_t)used, format, arguments);
    va_end(arguments);
    return false;
}

static inline const char *json_type_word(const struct json *value) {
    static const char *const words[] = {"null", "true or false", "a number", "a string", "a list", "an object"};
    return words[value->type];
}

static inline bool expect_type(struct complaint *complaint, const struct json *value, enum json_type type,
                               const char *label) {
    struct json example = {.type = type};
    if (value->type == type)
        return true;
    return complain(complaint, value, "%s is %s; it must be %s", label, json_type_word(value),
                    json_type_word(&example));
}

/* Checks that an object has only keys that are in `names`, which end with NULL. The message lists `names`. */
static inline bool expect_keys(struct complaint *complaint, const struct json *object, const char *label,
                               const char *const *names) {
    for (size_t i = 0; i < object->length; i++) {
        const char *const *name = names;
        while (*name && strcmp(*name, object->keys[i]) != 0)
            name++;
        if (*name)
            continue;
        char known_keys[300];
        struct listing list = listing_in(known_keys, sizeof known_keys);
        for (name = names; *name; name++)
            listing_add(&list, "`%s`", *name);
        return complain(complaint, &object->items[i], "%s has the unknown key `%.60s`; known keys are %s", label,
                        object->keys[i], known_keys);
    }
    return true;
}

/* Reads an integer from minimum to maximum. */
static inline bool read_integer(struct complaint *complaint, const struct json *value, const char *label,
                                int64_t minimum, int64_t maximum, int64_t *integer) {
    if (value->type != JSON_NUMBER || !value->is_integer)
        return complain(complaint, value, "%s is %s; it must be a whole number", label,
                        value->type == JSON_NUMBER ? "a fraction or too large" : json_type_word(value));
    if (value->integer < minimum || value->integer > maximum) {
        if (maximum == INT64_MAX)
            return complain(complaint, value, "%s is %lld; it must be at least %lld", label, (long long)value->integer,
                            (long long)minimum);
        return complain(complaint, value, "%s is %lld; it must be from %lld to %lld", label, (long long)value->integer,
                        (long long)minimum, (long long)maximum);
    }
    *integer = value->integer;
    return true;
}

/* Checks that the file has "schema_version": 1. */
static inline bool expect_version(struct complaint *complaint, const struct json *file) {
    const struct json *version = json_get(file, "schema_version");
    if (!version)
        return complain(complaint, file, "`schema_version` is missing; it must be 1");
    if (version->type != JSON_NUMBER || !version->is_integer || version->integer != 1)
        return complain(complaint, version, "`schema_version` is not 1; this version of the collector reads only 1");
    return true;
}

#endif
