/* Definitions that consist of a text and a number: trees, reasons, the MPI library's algorithms and user regions. */
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
    const char *kind, *key; /* the words for "def" and for the text's key in the line of the .defs file */
    struct name *first;
    uint32_t last_id;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct names trees = {.kind = "tree", .key = "name"};
static struct names reasons = {.kind = "reason", .key = "text"};
static struct names algorithms = {.kind = "algorithm", .key = "name"};
static struct names regions = {.kind = "region", .key = "name"};

static const struct name *define(struct names *names, const char *text) {
    if (!record_is_on())
        return NULL;
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
    pthread_mutex_unlock(&lock);
    if (fresh && name) {
        struct line line;
        line_begin(&line, names->kind);
        line_unsigned(&line, "id", name->id);
        line_text(&line, names->key, text);
        line_end(&line);
    }
    return name;
}

uint32_t record_define_tree(const char *text) {
    const struct name *name = define(&trees, text);
    return name ? name->id : 0;
}

uint32_t record_define_reason(const char *text) {
    const struct name *name = define(&reasons, text);
    return name ? name->id : 0;
}

uint32_t record_define_once(uint32_t *id, uint32_t (*definer)(const char *), const char *text) {
    uint32_t current_id = __atomic_load_n(id, __ATOMIC_RELAXED);
    if (current_id == 0 && record_is_on()) {
        current_id = definer(text);
        __atomic_store_n(id, current_id, __ATOMIC_RELAXED);
    }
    return current_id;
}

uint32_t record_define_algorithm(const char *text) {
    const struct name *name = define(&algorithms, text);
    return name ? name->id : 0;
}

uint32_t record_define_region(const char *text, const char **permanent_name) {
    const struct name *name = define(&regions, text);
    *permanent_name = name ? name->text : NULL;
    return name ? name->id : 0;
}
