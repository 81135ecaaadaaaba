#include "config/unknown.h"

#include <stdio.h>
#include <strings.h>
#include <unistd.h>

#include "config/variables.h"
#include "hopscope/nearest.h"
#include "log/log.h"

static const char prefix[] = "HOPSCOPE_";

enum { PREFIX = sizeof prefix - 1 };

static void list_all(char *text, size_t capacity) {
    size_t used = 0;
    for (int i = 0; i < VARIABLES && used < capacity; i++)
        used += (size_t)snprintf(text + used, capacity - used, "%s%s",
                                 i ? ", " : "Known variables: ", variable_name((enum variable)i));
}

static void report_variable(const char *entry, size_t length) {
    struct nearest suggestion = nearest_to(entry + PREFIX, length - PREFIX);
    char words[500];
    for (int i = 0; i < VARIABLES; i++)
        nearest_try(&suggestion, variable_name((enum variable)i) + PREFIX);
    if (suggestion.name)
        snprintf(words, sizeof words, "Did you mean %s%s?", prefix, suggestion.name);
    else
        list_all(words, sizeof words);
    log_line("unknown variable %.200s ignored. %s", entry, words);
}

void config_tell_unknown(void) {
    for (char **entry = environ; entry && *entry; entry++) {
        const char *end = strchr(*entry, '=');
        size_t length = end ? (size_t)(end - *entry) : 0;
        bool is_known = length <= PREFIX || strncasecmp(*entry, prefix, PREFIX) != 0;
        for (int i = 0; i < VARIABLES && !is_known; i++) {
            const char *name = variable_name((enum variable)i);
            is_known = strlen(name) == length && strncmp(*entry, name, length) == 0;
        }
        if (!is_known)
            report_variable(*entry, length);
    }
}
