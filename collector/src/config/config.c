#include "config/config.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/unknown.h"
#include "config/variables.h"
#include "log/log.h"

/* Digits as a user would write them: bytes and seconds, no 1e+09. */
#define NUMBER "%.15g"

static double number(enum variable variable, double least, double most, double otherwise, bool speak) {
    const char *value = variable_text(variable);
    if (!value)
        return otherwise;
    /* Not strtod: its decimal point is the application's locale's. */
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    char *end = (char *)value;
    double parsed = c_locale ? strtod_l(value, &end, c_locale) : 0;
    if (c_locale)
        freelocale(c_locale);
    if (end != value && *end == '\0' && isfinite(parsed) && parsed >= least && parsed <= most)
        return parsed;
    if (speak)
        log_line("%s=%.200s is no number from " NUMBER " to " NUMBER "; using " NUMBER, variable_name(variable), value,
                 least, most, otherwise);
    return otherwise;
}

/* The place of a value among the words (up to a NULL) that it may be; the first one stands for unset. */
static int choice(enum variable variable, const char *const words[], bool speak) {
    const char *value = variable_text(variable);
    char all[80] = "";
    size_t used = 0;
    for (int i = 0; value && words[i]; i++) {
        if (strcmp(value, words[i]) == 0)
            return i;
        const char *between = i == 0 ? "" : words[i + 1] ? ", " : " and ";
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", between, words[i]);
    }
    if (value && speak)
        log_line("%s=%.200s is none of %s; using %s", variable_name(variable), value, all, words[0]);
    return 0;
}

static bool on_or_off(enum variable variable, bool unset, bool speak) {
    const char *const words[] = {unset ? "1" : "0", unset ? "0" : "1", NULL};
    return choice(variable, words, speak) == 0 ? unset : !unset;
}

struct config config_read(bool speak) {
    enum { ALL, COLLECTIVES, NOTHING };
    static const char *const recordings[] = {"all", "collectives", "0", NULL}, *const transports[] = {"shm", "mpi",
                                                                                                      NULL};
    int record = choice(VARIABLE_RECORD, recordings, speak);
    /* The assembly's: a wrong value is told here, where somebody is sure to speak once. */
    on_or_off(VARIABLE_KEEP_SPOOL, false, speak);
    if (speak)
        config_tell_unknown();
    return (struct config){
        .directory = variable_text(VARIABLE_DIR),
        .tree = variable_text(VARIABLE_TREE),
        .topology = variable_text(VARIABLE_TOPOLOGY),
        .presence_seconds = number(VARIABLE_PRESENCE_TIMEOUT, 0, 3600, 10, speak),
        .chunk_bytes = (size_t)number(VARIABLE_SPOOL_CHUNK_BYTES, 4096, 1e9, 1 << 18, speak),
        .clock_seconds = number(VARIABLE_CLOCK_INTERVAL, 0, 1e6, 60, speak),
        .clock_skew = variable_text(VARIABLE_CLOCK_SKEW),
        .record = record != NOTHING,
        .paused = on_or_off(VARIABLE_PAUSED, false, speak),
        .messages = record != COLLECTIVES,
        .shared_memory = choice(VARIABLE_TRANSPORT, transports, speak) == 0,
        .assemble = on_or_off(VARIABLE_ASSEMBLE, true, speak),
        .chain = on_or_off(VARIABLE_CHAIN, false, speak),
    };
}
