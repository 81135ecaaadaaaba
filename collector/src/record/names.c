/* Definitions that are nothing but a text with a number: trees and reasons. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "record/definitions.h"
#include "record/record.h"

struct name {
    struct name *next;
    uint32_t id;
    char text[];
};

struct names {
    const char *kind, *key; /* of the definition line */
    struct name *first;
    uint32_t last_id;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct names trees = {.kind = "tree", .key = "name"};
static struct names reasons = {.kind = "reason", .key = "text"};

static uint32_t define(struct names *names, const char *text) {
    if (!record_is_on())
        return 0;
    pthread_mutex_lock(&lock);
    struct name *name = names->first;
    while (name && strcmp(name->text, text) != 0)
        name = name->next;
    bool fresh = !name;
    if (fresh) {
        size_t bytes = strlen(text) + 1;
        name = malloc(sizeof *name + bytes);
        if (name) {
            memcpy(name->text, text, bytes);
            name->id = ++names->last_id;
            name->next = names->first;
            names->first = name;
        }
    }
    uint32_t id = name ? name->id : 0;
    pthread_mutex_unlock(&lock);
    if (fresh && name) {
        struct line line;
        line_begin(&line, names->kind);
        line_unsigned(&line, "id", id);
        line_text(&line, names->key, text);
        line_end(&line);
    }
    return id;
}

uint32_t record_define_tree(const char *name) {
    return define(&trees, name);
}

uint32_t record_define_reason(const char *text) {
    return define(&reasons, text);
}
