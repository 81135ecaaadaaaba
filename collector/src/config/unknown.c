#include "config/unknown.h"

#include <ctype.h>
#include <stdio.h>
#include <strings.h>
#include <unistd.h>

#include "config/variables.h"
#include "log/log.h"

static const char prefix[] = "HOPSCOPE_";

enum { PREFIX = sizeof prefix - 1, LONGEST = 32 };

/* Letters to insert, delete or exchange (Levenshtein), small or capital; LONGEST for what is longer than any name. */
static size_t distance(const char *a, size_t length, const char *b) {
    size_t row[LONGEST + 1], width = strlen(b);
    if (length > LONGEST || width > LONGEST)
        return LONGEST;
    for (size_t j = 0; j <= width; j++)
        row[j] = j;
    for (size_t i = 1; i <= length; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= width; j++) {
            size_t changed = diagonal + (toupper((unsigned char)a[i - 1]) != b[j - 1]);
            size_t shorter = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            diagonal = row[j];
            row[j] = changed < shorter ? changed : shorter;
        }
    }
    return row[width];
}

static void list_all(char *text, size_t capacity) {
    size_t used = 0;
    for (int i = 0; i < VARIABLES && used < capacity; i++)
        used += (size_t)snprintf(text + used, capacity - used, "%s%s", i ? ", " : "there are ",
                                 variable_name((enum variable)i));
}

static void tell(const char *entry, size_t length) {
    size_t nearest = LONGEST;
    enum variable meant = VARIABLES;
    for (int i = 0; i < VARIABLES; i++) {
        size_t away = distance(entry + PREFIX, length - PREFIX, variable_name((enum variable)i) + PREFIX);
        if (away < nearest) {
            nearest = away;
            meant = (enum variable)i;
        }
    }
    char words[500];
    if (nearest <= (length - PREFIX + 1) / 2)
        snprintf(words, sizeof words, "did you mean %s?", variable_name(meant));
    else
        list_all(words, sizeof words);
    log_line("%.200s: there is no such variable, so it does nothing; %s", entry, words);
}

void config_tell_unknown(void) {
    for (char **entry = environ; entry && *entry; entry++) {
        const char *end = strchr(*entry, '=');
        size_t length = end ? (size_t)(end - *entry) : 0;
        bool known = length <= PREFIX || strncasecmp(*entry, prefix, PREFIX) != 0;
        for (int i = 0; i < VARIABLES && !known; i++) {
            const char *name = variable_name((enum variable)i);
            known = strlen(name) == length && strncmp(*entry, name, length) == 0;
        }
        if (!known)
            tell(*entry, length);
    }
}
