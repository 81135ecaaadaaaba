/* All environment variables of Hopscope. docs/collector.md explains them in a table, which a test compares with this
 * list. config.h explains those that the preloaded library reads. */
#ifndef HOPSCOPE_VARIABLES_H
#define HOPSCOPE_VARIABLES_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The preloaded library reads all but four: the commands read COLLECTOR_DIR, MEMORY and DIAGNOSIS, the assembly
 * KEEP_SPOOL. */
// clang-format off
#define HOPSCOPE_VARIABLES(X)                                                                                          \
    X(DIR) X(TREE) X(TOPOLOGY) X(TRANSPORT) X(RECORD) X(NATIVE) X(NATIVE_NAMES) X(PYTHON) X(PAUSED)                   \
    X(PRESENCE_TIMEOUT) X(SPOOL_CHUNK_BYTES) X(CLOCK_INTERVAL) X(ASSEMBLE) X(CHAIN) X(KEEP_SPOOL)       \
    X(COLLECTOR_DIR) X(KEEP_ANSWERS) X(MEMORY) X(DIAGNOSIS)
// clang-format on

enum variable {
#define HOPSCOPE_VARIABLE(name) VARIABLE_##name,
    HOPSCOPE_VARIABLES(HOPSCOPE_VARIABLE)
#undef HOPSCOPE_VARIABLE
        VARIABLES,
};

static inline const char *variable_name(enum variable variable) {
    static const char *const names[] = {
#define HOPSCOPE_VARIABLE(name) "HOPSCOPE_" #name,
        HOPSCOPE_VARIABLES(HOPSCOPE_VARIABLE)
#undef HOPSCOPE_VARIABLE
    };
    return names[variable];
}

/* The value of a variable; NULL if it is unset or empty. */
static inline const char *variable_text(enum variable variable) {
    const char *value = getenv(variable_name(variable));
    return value && *value ? value : NULL;
}

/* Reads a variable that is 0 or 1. For any other value, returns `unset`. */
static inline bool variable_switch(enum variable variable, bool unset) {
    const char *value = variable_text(variable);
    bool is_valid = value && (strcmp(value, "0") == 0 || strcmp(value, "1") == 0);
    return is_valid ? *value == '1' : unset;
}

#endif
