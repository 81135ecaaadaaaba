#include "config/config.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "log/log.h"

static const char *text(const char *name) {
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

static double number(const char *name, double least, double most, double otherwise, bool speak) {
    const char *value = text(name);
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
        log_line("%s=%s is no number from %g to %g; using %g", name, value, least, most, otherwise);
    return otherwise;
}

struct config config_read(bool speak) {
    const char *assemble = text("HOPSCOPE_ASSEMBLE"), *transport = text("HOPSCOPE_TRANSPORT"),
               *record = text("HOPSCOPE_RECORD"), *paused = text("HOPSCOPE_PAUSED");
    bool known = !transport || strcmp(transport, "mpi") == 0 || strcmp(transport, "shm") == 0;
    if (!known && speak)
        log_line("HOPSCOPE_TRANSPORT=%s is neither mpi nor shm; using shm", transport);
    if (speak && record && strcmp(record, "0") != 0 && strcmp(record, "collectives") != 0 && strcmp(record, "all") != 0)
        log_line("HOPSCOPE_RECORD=%s is none of all, collectives and 0; using all", record);
    return (struct config){
        .directory = text("HOPSCOPE_DIR"),
        .tree = text("HOPSCOPE_TREE"),
        .topology = text("HOPSCOPE_TOPOLOGY"),
        .presence_seconds = number("HOPSCOPE_PRESENCE_TIMEOUT", 0, 3600, 10, speak),
        .chunk_bytes = (size_t)number("HOPSCOPE_SPOOL_CHUNK_BYTES", 4096, 1e9, 1 << 20, speak),
        .clock_seconds = number("HOPSCOPE_CLOCK_INTERVAL", 0, 1e6, 60, speak),
        .clock_skew = text("HOPSCOPE_CLOCK_SKEW"),
        .record = !record || strcmp(record, "0") != 0,
        .paused = paused && strcmp(paused, "0") != 0,
        .messages = !record || strcmp(record, "collectives") != 0,
        .shared_memory = !transport || strcmp(transport, "mpi") != 0,
        .assemble = !assemble || strcmp(assemble, "0") != 0,
    };
}
