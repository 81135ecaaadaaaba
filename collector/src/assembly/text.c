#include "assembly/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json/json.h"

static bool reserve(struct text *text, size_t more) {
    if (text->failed)
        return false;
    size_t wanted = text->length + more + 1;
    if (wanted <= text->capacity)
        return true;
    size_t capacity = text->capacity ? text->capacity : 256;
    while (capacity < wanted)
        capacity *= 2;
    char *bytes = realloc(text->bytes, capacity);
    if (!bytes) {
        text->failed = true;
        return false;
    }
    text->bytes = bytes;
    text->capacity = capacity;
    return true;
}

void text_add(struct text *text, const char *format, ...) {
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int needed = vsnprintf(NULL, 0, format, arguments);
    if (needed >= 0 && reserve(text, (size_t)needed)) {
        vsnprintf(text->bytes + text->length, (size_t)needed + 1, format, again);
        text->length += (size_t)needed;
    }
    va_end(again);
    va_end(arguments);
}

void text_add_quoted(struct text *text, const char *value) {
    if (!value) {
        text_add(text, "null");
        return;
    }
    size_t needed = json_quote(NULL, 0, value);
    if (!reserve(text, needed))
        return;
    json_quote(text->bytes + text->length, needed + 1, value);
    text->length += needed;
}

void text_free(struct text *text) {
    free(text->bytes);
    *text = (struct text){0};
}

void sentences_add(struct sentences *list, const char *format, ...) {
    char sentence[600];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    char *copy = strdup(sentence);
    char **items = copy ? realloc(list->items, (list->count + 1) * sizeof *items) : NULL;
    if (!items) {
        free(copy);
        return;
    }
    list->items = items;
    list->items[list->count++] = copy;
}

void sentences_free(struct sentences *list) {
    for (size_t i = 0; i < list->count; i++)
        free(list->items[i]);
    free(list->items);
    *list = (struct sentences){0};
}
