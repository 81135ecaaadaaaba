#include "config/config.h"

#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/unknown.h"
#include "config/variables.h"
#include "log/log.h"

/* The format of bytes and seconds, as a user would write them: 1000000000, not 1e+09. */
#define NUMBER "%.15g"

static double number(enum variable variable, double minimum, double maximum, double default_number, bool is_reporter) {
    const char *value = variable_text(variable);
    if (!value)
        return default_number;
    /* strtod would expect the decimal point of the application's locale. */
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    char *end = (char *)value;
    double parsed = c_locale ? strtod_l(value, &end, c_locale) : 0;
    if (c_locale)
        freelocale(c_locale);
    if (end != value && *end == '\0' && isfinite(parsed) && parsed >= minimum && parsed <= maximum)
        return parsed;
    if (is_reporter)
        log_line("%s=%.200s is not a number from " NUMBER " to " NUMBER "; using " NUMBER, variable_name(variable),
                 value, minimum, maximum, default_number);
    return default_number;
}

/* Returns the index of a variable's text among the allowed words, which end with NULL. 0 if the variable is unset or
 * has another text. */
static int choice(enum variable variable, const char *const words[], bool is_reporter) {
    const char *value = variable_text(variable);
    char word_list[80] = "";
    size_t used = 0;
    for (int i = 0; value && words[i]; i++) {
        if (strcmp(value, words[i]) == 0)
            return i;
        const char *separator = i == 0 ? "" : words[i + 1] ? ", " : " or ";
        used += (size_t)snprintf(word_list + used, sizeof word_list - used, "%s%s", separator, words[i]);
    }
    if (value && is_reporter)
        log_line("%s=%.200s is not valid (write %s); using %s", variable_name(variable), value, word_list, words[0]);
    return 0;
}

static bool switch_state(enum variable variable, bool unset, bool is_reporter) {
    const char *const words[] = {unset ? "1" : "0", unset ? "0" : "1", NULL};
    return choice(variable, words, is_reporter) == 0 ? unset : !unset;
}

/* Reads HOPSCOPE_NATIVE: 0, 1 or every:N; for MPICH mpich or mpich:every:N. A setting for another library counts as
 * unset. */
static unsigned native_every(unsigned unset, bool is_reporter) {
    static const char every_prefix[] = "every:", mpich_prefix[] = "mpich";
    bool is_mpich_build = strncmp(HOPSCOPE_LIBRARY, mpich_prefix, strlen(mpich_prefix)) == 0;
    unset = is_mpich_build ? 0 : unset;
    const char *value = variable_text(VARIABLE_NATIVE);
    if (!value)
        return unset;
    bool is_mpich_setting = strncmp(value, mpich_prefix, strlen(mpich_prefix)) == 0;
    const char *number = value;
    if (is_mpich_setting)
        number = strcmp(value, mpich_prefix) == 0     ? "1"
                 : value[strlen(mpich_prefix)] == ':' ? value + strlen(mpich_prefix) + 1
                                                      : "";
    bool has_interval = strncmp(number, every_prefix, strlen(every_prefix)) == 0;
    char *end = NULL;
    unsigned long interval = has_interval ? strtoul(number + strlen(every_prefix), &end, 10) : 0;
    if (has_interval ? interval > 0 && interval <= UINT_MAX && *end == '\0'
                     : strcmp(number, "0") == 0 || strcmp(number, "1") == 0) {
        interval = has_interval ? interval : (unsigned long)(*number == '1');
        return interval == 0 || is_mpich_build == is_mpich_setting ? (unsigned)interval : unset;
    }
    if (is_reporter)
        log_line("%s=%.200s is not valid (write 0, 1 or every:N, such as every:100; for MPICH mpich or mpich:every:N); "
                 "using %u",
                 variable_name(VARIABLE_NATIVE), value, unset);
    return unset;
}

struct config config_read(bool is_reporter) {
    enum { RECORD_ALL, RECORD_COLLECTIVES, RECORD_NOTHING };
    static const char *const recordings[] = {"all", "collectives", "0", NULL};
#define TRANSPORT(name) #name,
    static const char *const transports[] = {TRANSPORTS(TRANSPORT) NULL};
#undef TRANSPORT
    static const char *const chainings[] = {"auto", "0", "1", NULL};
    int record = choice(VARIABLE_RECORD, recordings, is_reporter);
    /* The assembly uses this variable. It is checked here too, so that a wrong setting is reported, and only once. */
    switch_state(VARIABLE_KEEP_SPOOL, false, is_reporter);
    if (is_reporter)
        config_tell_unknown();
    return (struct config){
        .directory = variable_text(VARIABLE_DIR),
        .tree = variable_text(VARIABLE_TREE),
        .topology = variable_text(VARIABLE_TOPOLOGY),
        .presence_seconds = number(VARIABLE_PRESENCE_TIMEOUT, 0, 3600, 10, is_reporter),
        .chunk_bytes = (size_t)number(VARIABLE_SPOOL_CHUNK_BYTES, 4096, 1e9, 1 << 20, is_reporter),
        .clock_seconds = number(VARIABLE_CLOCK_INTERVAL, 0, 1e6, 60, is_reporter),
        .record = record != RECORD_NOTHING,
        .native_every = native_every(1, is_reporter),
        .python = switch_state(VARIABLE_PYTHON, true, is_reporter),
        .reports_python = is_reporter && variable_switch(VARIABLE_PYTHON, false),
        .paused = switch_state(VARIABLE_PAUSED, false, is_reporter),
        .messages = record != RECORD_COLLECTIVES,
        .transport = (enum transport_name)choice(VARIABLE_TRANSPORT, transports, is_reporter),
        .assemble = switch_state(VARIABLE_ASSEMBLE, true, is_reporter),
        .chaining = (enum chaining)choice(VARIABLE_CHAIN, chainings, is_reporter),
    };
}
