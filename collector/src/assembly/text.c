#include "assembly/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json/json.h"

static bool reserve(struct text *text, size_t extra_length) {
    if (text->failed)
        return false;
    size_t needed_capacity = text->length + extra_length + 1;
    if (needed_capacity <= text->capacity)
        return true;
    size_t capacity = text->capacity ? text->capacity : 256;
    while (capacity < needed_capacity)
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
    va_list arguments, second_pass;
    va_start(arguments, format);
    va_copy(second_pass, arguments);
    int text_length = vsnprintf(NULL, 0, format, arguments);
    if (text_length >= 0 && reserve(text, (size_t)text_length)) {
        vsnprintf(text->bytes + text->length, (size_t)text_length + 1, format, second_pass);
        text->length += (size_t)text_length;
    }
    va_end(second_pass);
    va_end(arguments);
}

void text_add_quoted(struct text *text, const char *value) {
    if (!value) {
        text_add(text, "null");
        return;
    }
    size_t text_length = json_quote(NULL, 0, value);
    if (!reserve(text, text_length))
        return;
    json_quote(text->bytes + text->length, text_length + 1, value);
    text->length += text_length;
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
