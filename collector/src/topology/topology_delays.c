/* Reads which links the engine's messages emulate: a delay for every directed pair of hosts. */
#include <stdlib.h>
#include <string.h>

#include "topology/topology_file.h"

static bool read_rate(struct complaint *c, const struct json *value, double *rate) {
    if (!value)
        return true;
    if (value->type != JSON_NUMBER || !(value->number > 0))
        return complain(c, value, "`bytes_per_second` must be a number above 0; leave it out for infinitely many");
    *rate = value->number;
    return true;
}

static bool read_trace(struct complaint *c, const struct json *list, struct topology *topology,
                       struct link_delay *delay) {
    struct topology_owner *owner = (struct topology_owner *)topology;
    if (!expect_type(c, list, JSON_ARRAY, "`latency_trace_ns`"))
        return false;
    if (list->length == 0)
        return complain(c, list, "`latency_trace_ns` is empty; give at least one latency, or `latency_ns` instead");
    uint64_t *trace = malloc(list->length * sizeof *trace);
    uint64_t **traces = realloc(owner->traces, (owner->trace_count + 1) * sizeof *traces);
    if (traces)
        owner->traces = traces;
    if (!trace || !traces) {
        free(trace);
        return complain(c, list, "out of memory for %zu latencies", list->length);
    }
    owner->traces[owner->trace_count++] = trace;
    for (size_t i = 0; i < list->length; i++) {
        int64_t latency = 0;
        if (!read_integer(c, &list->items[i], "a latency", 0, INT64_MAX, &latency))
            return false;
        trace[i] = (uint64_t)latency;
    }
    delay->trace_ns = trace;
    delay->trace_length = list->length;
    return true;
}

/* Replaces in delay what object gives. */
static bool read_delay(struct complaint *c, const struct json *object, struct topology *topology,
                       struct link_delay *delay) {
    const struct json *latency = json_get(object, "latency_ns"), *trace = json_get(object, "latency_trace_ns");
    if (latency) {
        int64_t value = 0;
        if (!read_integer(c, latency, "`latency_ns`", 0, INT64_MAX, &value))
            return false;
        delay->latency_ns = (uint64_t)value;
        delay->trace_ns = NULL;
        delay->trace_length = 0;
    }
    if (trace && !read_trace(c, trace, topology, delay))
        return false;
    return read_rate(c, json_get(object, "bytes_per_second"), &delay->bytes_per_second);
}

static bool read_classes(struct complaint *c, const struct json *links, struct topology *topology,
                         struct link_delay *of_class) {
    static const char *const classes[] = {"self", "shm", "lan", "wan", NULL};
    static const char *const keys[] = {"latency_ns", "bytes_per_second", "latency_trace_ns", NULL};
    if (!links)
        return true;
    if (!expect_type(c, links, JSON_OBJECT, "`links`") || !expect_keys(c, links, "`links`", classes))
        return false;
    for (int class = 0; classes[class]; class++) {
        const struct json *link = json_get(links, classes[class]);
        if (link && (!expect_type(c, link, JSON_OBJECT, "a link") || !expect_keys(c, link, "a link", keys) ||
                     !read_delay(c, link, topology, &of_class[class])))
            return false;
    }
    return true;
}

/* True if a host is meant by name: its own, or that of the entry of the file it came from. */
static bool is_called(const struct topology *topology, const struct json *file_hosts, const int *entry_of_host,
                      int host, const char *name) {
    return strcmp(topology->host_names[host], name) == 0 ||
           strcmp(json_get(&file_hosts->items[entry_of_host[host]], "name")->string, name) == 0;
}

static bool expect_host(struct complaint *c, const struct json *pair, const char *key, const struct json *file_hosts,
                        const int *entry_of_host, const struct topology *topology) {
    const struct json *name = json_get(pair, key);
    if (!name)
        return complain(c, pair, "a pair has no `%s`; name a host", key);
    if (!expect_type(c, name, JSON_STRING, key))
        return false;
    for (int host = 0; host < topology->hosts; host++)
        if (is_called(topology, file_hosts, entry_of_host, host, name->string))
            return true;
    for (size_t i = 0; i < file_hosts->length; i++)
        if (strcmp(json_get(&file_hosts->items[i], "name")->string, name->string) == 0)
            return true; /* a host on which no rank of this job runs */
    return complain(c, name, "`%s` names the host `%.64s`, which is not in `hosts`; add it there", key, name->string);
}

static bool read_pairs(struct complaint *c, const struct json *pairs, const struct json *file_hosts,
                       const int *entry_of_host, struct topology *t) {
    static const char *const keys[] = {"from", "to", "latency_ns", "bytes_per_second", "latency_trace_ns", NULL};
    if (!pairs)
        return true;
    if (!expect_type(c, pairs, JSON_ARRAY, "`pairs`"))
        return false;
    for (size_t i = 0; i < pairs->length; i++) {
        const struct json *pair = &pairs->items[i];
        if (!expect_type(c, pair, JSON_OBJECT, "a pair") || !expect_keys(c, pair, "a pair", keys) ||
            !expect_host(c, pair, "from", file_hosts, entry_of_host, t) ||
            !expect_host(c, pair, "to", file_hosts, entry_of_host, t))
            return false;
        const char *from = json_get(pair, "from")->string, *to = json_get(pair, "to")->string;
        for (int a = 0; a < t->hosts; a++)
            for (int b = 0; b < t->hosts; b++)
                if (is_called(t, file_hosts, entry_of_host, a, from) &&
                    is_called(t, file_hosts, entry_of_host, b, to) &&
                    !read_delay(c, pair, t, &t->delay_of_pair[(size_t)a * (size_t)t->hosts + (size_t)b]))
                    return false;
    }
    return true;
}

static bool read_interface(struct complaint *c, const struct json *object, struct topology *topology) {
    static const char *const keys[] = {"per_message_ns", "bytes_per_second", NULL};
    if (!object)
        return true;
    if (!expect_type(c, object, JSON_OBJECT, "`host_interface`") || !expect_keys(c, object, "`host_interface`", keys))
        return false;
    const struct json *each = json_get(object, "per_message_ns");
    int64_t value = 0;
    if (each && !read_integer(c, each, "`per_message_ns`", 0, INT64_MAX, &value))
        return false;
    topology->interface_message_ns = (uint64_t)value;
    return read_rate(c, json_get(object, "bytes_per_second"), &topology->interface_bytes_per_second);
}

bool topology_read_delays(struct complaint *c, const struct json *emulate, const struct json *file_hosts,
                          const int *entry_of_host, struct topology *t) {
    static const char *const keys[] = {"links", "pairs", "host_interface", NULL};
    struct link_delay of_class[LINK_WAN + 1] = {0};
    if (!emulate)
        return true;
    if (!expect_type(c, emulate, JSON_OBJECT, "`emulate`") || !expect_keys(c, emulate, "`emulate`", keys) ||
        !read_classes(c, json_get(emulate, "links"), t, of_class))
        return false;
    size_t hosts = (size_t)t->hosts;
    t->delay_of_pair = calloc(hosts * hosts, sizeof *t->delay_of_pair);
    if (!t->delay_of_pair)
        return complain(c, emulate, "out of memory for the links between %d hosts", t->hosts);
    for (size_t a = 0; a < hosts; a++)
        for (size_t b = 0; b < hosts; b++)
            t->delay_of_pair[a * hosts + b] = of_class[a == b                                           ? LINK_SHM
                                                       : t->cluster_of_host[a] == t->cluster_of_host[b] ? LINK_LAN
                                                                                                        : LINK_WAN];
    t->emulates = true;
    return read_pairs(c, json_get(emulate, "pairs"), file_hosts, entry_of_host, t) &&
           read_interface(c, json_get(emulate, "host_interface"), t);
}
