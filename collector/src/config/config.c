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

/* Prints numbers as a user would write them: bytes and seconds, no 1e+09. */
#define NUMBER "%.15g"

static double number(enum variable variable, double least, double most, double otherwise, bool speak) {
    const char *value = variable_text(variable);
    if (!value)
        return otherwise;
    /* Not strtod: it expects the decimal point of the application's locale. */
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    char *end = (char *)value;
    double parsed = c_locale ? strtod_l(value, &end, c_locale) : 0;
    if (c_locale)
        freelocale(c_locale);
    if (end != value && *end == '\0' && isfinite(parsed) && parsed >= least && parsed <= most)
        return parsed;
    if (speak)
        log_line("%s=%.200s is not a number from " NUMBER " to " NUMBER "; using " NUMBER, variable_name(variable),
                 value, least, most, otherwise);
    return otherwise;
}

/* The index of a value among the allowed words (up to a NULL); 0 if unset. */
static int choice(enum variable variable, const char *const words[], bool speak) {
    const char *value = variable_text(variable);
    char all[80] = "";
    size_t used = 0;
    for (int i = 0; value && words[i]; i++) {
        if (strcmp(value, words[i]) == 0)
            return i;
        const char *between = i == 0 ? "" : words[i + 1] ? ", " : " or ";
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", between, words[i]);
    }
    if (value && speak)
        log_line("%s=%.200s is not valid (write %s); using %s", variable_name(variable), value, all, words[0]);
    return 0;
}

static bool on_or_off(enum variable variable, bool unset, bool speak) {
    const char *const words[] = {unset ? "1" : "0", unset ? "0" : "1", NULL};
    return choice(variable, words, speak) == 0 ? unset : !unset;
}

/* 0, 1 or every:N, for MPICH mpich or mpich:every:N. What is meant for another library counts as unset. */
static unsigned native_every(unsigned unset, bool speak) {
    static const char every[] = "every:", mpich[] = "mpich";
    bool of_mpich = strncmp(HOPSCOPE_LIBRARY, mpich, strlen(mpich)) == 0;
    unset = of_mpich ? 0 : unset;
    const char *value = variable_text(VARIABLE_NATIVE);
    if (!value)
        return unset;
    bool for_mpich = strncmp(value, mpich, strlen(mpich)) == 0;
    const char *number = value;
    if (for_mpich)
        number = strcmp(value, mpich) == 0 ? "1" : value[strlen(mpich)] == ':' ? value + strlen(mpich) + 1 : "";
    bool counts = strncmp(number, every, strlen(every)) == 0;
    char *end = NULL;
    unsigned long n = counts ? strtoul(number + strlen(every), &end, 10) : 0;
    if (counts ? n > 0 && n <= UINT_MAX && *end == '\0' : strcmp(number, "0") == 0 || strcmp(number, "1") == 0) {
        n = counts ? n : (unsigned long)(*number == '1');
        return n == 0 || of_mpich == for_mpich ? (unsigned)n : unset;
    }
    if (speak)
        log_line("%s=%.200s is not valid (write 0, 1 or every:N, such as every:100; for MPICH mpich or mpich:every:N); "
                 "using %u",
                 variable_name(VARIABLE_NATIVE), value, unset);
    return unset;
}

struct config config_read(bool speak) {
    enum { ALL, COLLECTIVES, NOTHING };
    static const char *const recordings[] = {"all", "collectives", "0", NULL};
#define TRANSPORT(name) #name,
    static const char *const transports[] = {TRANSPORTS(TRANSPORT) NULL};
#undef TRANSPORT
    int record = choice(VARIABLE_RECORD, recordings, speak);
    /* The assembly reads it, but a wrong value is reported here, where it is sure to be reported once. */
    on_or_off(VARIABLE_KEEP_SPOOL, false, speak);
    if (speak)
        config_tell_unknown();
    return (struct config){
        .directory = variable_text(VARIABLE_DIR),
        .tree = variable_text(VARIABLE_TREE),
        .topology = variable_text(VARIABLE_TOPOLOGY),
        .presence_seconds = number(VARIABLE_PRESENCE_TIMEOUT, 0, 3600, 10, speak),
        .chunk_bytes = (size_t)number(VARIABLE_SPOOL_CHUNK_BYTES, 4096, 1e9, 1 << 20, speak),
        .clock_seconds = number(VARIABLE_CLOCK_INTERVAL, 0, 1e6, 60, speak),
        .record = record != NOTHING,
        .native_every = native_every(1, speak),
        .python = on_or_off(VARIABLE_PYTHON, true, speak),
        .python_told = speak && variable_switch(VARIABLE_PYTHON, false),
        .paused = on_or_off(VARIABLE_PAUSED, false, speak),
        .messages = record != COLLECTIVES,
        .transport = (enum transport_name)choice(VARIABLE_TRANSPORT, transports, speak),
        .assemble = on_or_off(VARIABLE_ASSEMBLE, true, speak),
        .chain = on_or_off(VARIABLE_CHAIN, false, speak),
    };
}
