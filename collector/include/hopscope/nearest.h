/* Finds the known name that is most similar to a mistyped word. */
#ifndef HOPSCOPE_NEAREST_H
#define HOPSCOPE_NEAREST_H

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { NEAREST_LONGEST = 32 };

/* Counts the letters to insert, delete or replace in order to turn a word into a name (Levenshtein distance). Ignores
 * case. length: the word's. If the word or the name is longer than NEAREST_LONGEST, returns NEAREST_LONGEST. */
static inline size_t nearest_distance(const char *word, size_t length, const char *name) {
    size_t row[NEAREST_LONGEST + 1], width = strlen(name);
    if (length > NEAREST_LONGEST || width > NEAREST_LONGEST)
        return NEAREST_LONGEST;
    for (size_t j = 0; j <= width; j++)
        row[j] = j;
    for (size_t i = 1; i <= length; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= width; j++) {
            bool differs = toupper((unsigned char)word[i - 1]) != toupper((unsigned char)name[j - 1]);
            size_t changed = diagonal + differs, shorter = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            diagonal = row[j];
            row[j] = changed < shorter ? changed : shorter;
        }
    }
    return row[width];
}

struct nearest {
    const char *word;
    size_t length, distance;
    const char *name; /* the most similar name so far; NULL: none is similar enough */
};

/* Begins a search for the name most similar to the first `length` characters of `word`. */
static inline struct nearest nearest_to(const char *word, size_t length) {
    return (struct nearest){word, length, (length + 1) / 2 + 1, NULL};
}

static inline void nearest_try(struct nearest *nearest, const char *name) {
    size_t distance = nearest_distance(nearest->word, nearest->length, name);
    if (distance < nearest->distance) {
        nearest->distance = distance;
        nearest->name = name;
    }
}

#endif
