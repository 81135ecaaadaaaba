#include "run/clock_skew.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log/log.h"
#include "record/clock.h"

void clock_skew_apply(const char *skew, struct machines *machines) {
    if (!skew)
        return;
    snprintf(machines->own_boot, sizeof machines->own_boot, "%.39s", machines->own_host);
    size_t name = strlen(machines->own_host);
    for (const char *word = skew; word; word = strchr(word, ',')) {
        word += *word == ',';
        if (strncmp(word, machines->own_host, name) != 0 || word[name] != ':')
            continue;
        char *end;
        long long offset_ns = strtoll(word + name + 1, &end, 10);
        long ppm = *end == ':' ? strtol(end + 1, &end, 10) : 0;
        if (*end != '\0' && *end != ',') {
            log_line("HOPSCOPE_CLOCK_SKEW=%s: is not host:offset_ns:ppm,...; the clocks stay right", skew);
            return;
        }
        clock_skew(offset_ns, ppm);
        return;
    }
}
