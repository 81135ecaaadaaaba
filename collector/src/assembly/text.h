/* Growing texts, for run.json and the sentences about missing data. */
#ifndef HOPSCOPE_TEXT_H
#define HOPSCOPE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct text {
    char *bytes; /* NUL-terminated; NULL while empty */
    size_t length, capacity;
    bool failed; /* out of memory: the rest was dropped */
};

__attribute__((format(printf, 2, 3))) void text_add(struct text *text, const char *format, ...);
/* Appends a JSON string; appends null if value is NULL. */
void text_add_quoted(struct text *text, const char *value);
void text_free(struct text *text);

/* A list of sentences. */
struct sentences {
    char **items;
    size_t count;
};

__attribute__((format(printf, 2, 3))) void sentences_add(struct sentences *list, const char *format, ...);
void sentences_free(struct sentences *list);

#endif
