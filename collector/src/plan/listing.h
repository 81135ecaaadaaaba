/* Writes lists such as `a, b or c` for messages, in memory that the caller provides. Cuts off what does not fit. */
#ifndef HOPSCOPE_LISTING_H
#define HOPSCOPE_LISTING_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

struct listing {
    char *text;
    size_t capacity, used;
    size_t comma; /* position of the last comma; 0: no comma yet */
};

static inline struct listing listing_in(char *text, size_t capacity) {
    text[0] = '\0';
    return (struct listing){text, capacity, 0, 0};
}

__attribute__((format(printf, 2, 3))) static inline void listing_add(struct listing *l, const char *format, ...) {
    size_t comma = l->used, start = comma ? comma + 2 : 0;
    if (start >= l->capacity)
        return;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(l->text + start, l->capacity - start, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= l->capacity - start) {
        l->text[comma] = '\0';
        return;
    }
    if (comma) {
        memcpy(l->text + comma, ", ", 2);
        l->comma = comma;
    }
    l->used = start + (size_t)length;
}

/* Replaces the last comma by ` or ` (or another word). Returns the text. */
static inline char *listing_end(struct listing *l, const char *word) {
    size_t length = strlen(word), rest = l->comma + 2;
    if (l->comma && l->used + length - 2 < l->capacity) {
        memmove(l->text + l->comma + length, l->text + rest, l->used - rest + 1);
        memcpy(l->text + l->comma, word, length);
    }
    return l->text;
}

#endif
