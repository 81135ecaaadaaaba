#include "run/clock_skew.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log/log.h"
#include "record/clock.h"

struct skewed {
    const char *host; /* within the text, host_length bytes long */
    size_t host_length;
    long long offset_ns;
    long ppm;
};

/* Reads one `host:offset_ns:ppm`; returns the rest of the text, NULL if it is malformed. */
static const char *read_one(const char *text, struct skewed *out) {
    char *end;
    out->host = text;
    out->host_length = strcspn(text, ":,");
    if (out->host_length == 0 || text[out->host_length] != ':')
        return NULL;
    errno = 0;
    const char *offset = text + out->host_length + 1;
    out->offset_ns = strtoll(offset, &end, 10);
    if (end == offset || *end != ':')
        return NULL;
    const char *ppm = end + 1;
    out->ppm = strtol(ppm, &end, 10);
    if (end == ppm || (*end != ',' && *end != '\0') || errno == ERANGE)
        return NULL;
    return *end ? end + 1 : end;
}

static bool is_readable(const char *skew) {
    struct skewed one;
    while (skew && *skew)
        skew = read_one(skew, &one);
    return skew != NULL;
}

static bool is_named(const struct skewed *one, const char *host) {
    return strlen(host) == one->host_length && strncmp(host, one->host, one->host_length) == 0;
}

void clock_skew_apply(const char *skew, struct machines *machines, bool speak) {
    if (!skew)
        return;
    if (!is_readable(skew)) {
        if (speak)
            log_line("HOPSCOPE_CLOCK_SKEW=%.200s ignored; write host:offset_ns:ppm,... in whole numbers", skew);
        return;
    }
    snprintf(machines->own_boot, sizeof machines->own_boot, "%.39s", machines->own_host);
    struct skewed one;
    for (const char *rest = skew; *rest;) {
        rest = read_one(rest, &one);
        if (is_named(&one, machines->own_host)) {
            clock_skew(one.offset_ns, one.ppm);
            return;
        }
    }
}

void clock_skew_tell_unknown(const char *skew, const struct machines *machines) {
    struct skewed one;
    for (const char *rest = is_readable(skew) ? skew : ""; *rest;) {
        rest = read_one(rest, &one);
        bool found = false;
        for (int rank = 0; rank < machines->ranks && !found; rank++)
            found = is_named(&one, machines->of_rank[rank].host);
        if (!found)
            log_line("HOPSCOPE_CLOCK_SKEW=%.200s: no rank runs on the host `%.*s`; rank 0 runs on `%s`", skew,
                     (int)one.host_length, one.host, machines->own_host);
    }
}
