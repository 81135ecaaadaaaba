/* A small JSON reader for the tree file, the topology file and the spool's definitions. Depends on libc only. */
#ifndef HOPSCOPE_JSON_H
#define HOPSCOPE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum json_type { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

struct json {
    enum json_type type;
    int line, column; /* position of the value's first character in the text, from 1: for error messages */
    bool boolean;
    double number;
    bool is_integer; /* the number has no fraction or exponent and fits `integer` */
    int64_t integer;
    char *string;       /* UTF-8, NUL-terminated */
    size_t length;      /* number of members of an array or object, or of bytes of a string */
    char **keys;        /* an object's keys, in file order; duplicate keys are an error */
    struct json *items; /* the values of an array or object */
};

struct json_error {
    int line, column;
    char message[160];
};

/* Parses length bytes. NULL on error, with *error filled. Free with json_free. */
struct json *json_parse(const char *text, size_t length, struct json_error *error);
void json_free(struct json *value);
/* The member of an object, or NULL. The object keeps ownership. */
const struct json *json_get(const struct json *object, const char *key);
/* Writes text as a quoted JSON string to buffer. capacity: the buffer's bytes. The result is NUL-terminated unless
 * capacity is 0. Like snprintf, returns the length of the whole string without the NUL. Bytes that are not UTF-8 become
 * U+FFFD. */
size_t json_quote(char *buffer, size_t capacity, const char *text);

#endif
