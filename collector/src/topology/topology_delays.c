/* Reads the link delays that the engine's messages emulate: one for every directed pair of hosts. */
#include "topology/topology_delays.h"

#include <stdlib.h>
#include <string.h>

#include "schemas/links.h"
#include "topology/cluster_links.h"
#include "topology/link_delay.h"

static bool read_classes(struct complaint *c, const struct json *links, struct topology *topology,
                         struct link_delay *class_delays) {
    static const char *const keys[] = {LINK_DELAY_KEYS, NULL};
    if (!links)
        return true;
    if (!expect_type(c, links, JSON_OBJECT, "`links`") || !expect_keys(c, links, "`links`", link_words))
        return false;
    for (int class = 0; class < LINK_CLASS_COUNT; class++) {
        const struct json *link = json_get(links, link_words[class]);
        if (link && (!expect_type(c, link, JSON_OBJECT, "a link") || !expect_keys(c, link, "a link", keys) ||
                     !link_delay_read(c, link, topology, &class_delays[class])))
            return false;
    }
    return true;
}

static bool expect_host(struct complaint *c, const struct json *pair, const char *key, const struct json *file_hosts,
                        const int *entry_of_host, const struct topology *topology) {
    const struct json *name = json_get(pair, key);
    if (!name)
        return complain(c, pair, "this pair has no `%s`; name a host", key);
    if (!expect_type(c, name, JSON_STRING, key))
        return false;
    for (int host = 0; host < topology->hosts; host++)
        if (topology_host_is_called(topology, file_hosts, entry_of_host, host, name->string))
            return true;
    for (size_t i = 0; i < file_hosts->length; i++)
        if (strcmp(json_get(&file_hosts->items[i], "name")->string, name->string) == 0)
            return true; /* no rank of this job runs on that host */
    return complain(c, name, "`%s` names the host `%.64s`, which is not in `hosts`; add it there", key, name->string);
}

static bool read_pairs(struct complaint *c, const struct json *pairs, const struct json *file_hosts,
                       const int *entry_of_host, struct topology *t) {
    static const char *const keys[] = {"from", "to", LINK_DELAY_KEYS, NULL};
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
        const char *from_name = json_get(pair, "from")->string, *to_name = json_get(pair, "to")->string;
        for (int a = 0; a < t->hosts; a++)
            for (int b = 0; b < t->hosts; b++)
                if (topology_host_is_called(t, file_hosts, entry_of_host, a, from_name) &&
                    topology_host_is_called(t, file_hosts, entry_of_host, b, to_name)) {
                    struct link_delay *delay = &t->delay_of_pair[(size_t)a * (size_t)t->hosts + (size_t)b];
                    if (!link_delay_read(c, pair, t, delay))
                        return false;
                    if (link_delay_has_latency(pair))
                        delay->latency_of_clusters = false;
                }
    }
    return true;
}

static bool read_interface(struct complaint *c, const struct json *object, struct topology *topology) {
    static const char *const keys[] = {"per_message_ns", "bytes_per_second", "cut_through", NULL};
    if (!object)
        return true;
    if (!expect_type(c, object, JSON_OBJECT, "`host_interface`") || !expect_keys(c, object, "`host_interface`", keys))
        return false;
    const struct json *message_cost = json_get(object, "per_message_ns"), *rate = json_get(object, "bytes_per_second");
    const struct json *cut_through = json_get(object, "cut_through");
    int64_t value = 0;
    if (message_cost && !read_integer(c, message_cost, "`per_message_ns`", 0, INT64_MAX, &value))
        return false;
    if (cut_through && !expect_type(c, cut_through, JSON_BOOL, "`cut_through`"))
        return false;
    topology->interface_message_ns = (uint64_t)value;
    topology->cut_through = cut_through && cut_through->boolean;
    return !rate || link_delay_read_rate(c, rate, &topology->interface_bytes_per_second);
}

static bool read_rank(struct complaint *c, const struct json *object, struct topology *topology) {
    static const char *const keys[] = {"per_message_ns", "per_byte_ns", NULL};
    if (!object)
        return true;
    if (!expect_type(c, object, JSON_OBJECT, "`rank`") || !expect_keys(c, object, "`rank`", keys))
        return false;
    const struct json *message_cost = json_get(object, "per_message_ns"), *byte_cost = json_get(object, "per_byte_ns");
    int64_t value = 0;
    if (message_cost && !read_integer(c, message_cost, "`per_message_ns`", 0, INT64_MAX, &value))
        return false;
    if (byte_cost && (byte_cost->type != JSON_NUMBER || !(byte_cost->number >= 0)))
        return complain(c, byte_cost, "`per_byte_ns` must be a number of at least 0");
    topology->rank_message_ns = (uint64_t)value;
    topology->rank_byte_ns = byte_cost ? byte_cost->number : 0;
    return true;
}

/* The delay of a message from host to host: that of their link class. Leaves out the latency and the bandwidth that the
 * link between their clusters has already. */
static struct link_delay delay_between(const struct topology *t, const struct link_delay *class_delays, int from_host,
                                       int to_host) {
    int a = t->cluster_of_host[from_host], b = t->cluster_of_host[to_host];
    struct link_delay delay = class_delays[link_class_of(0, from_host, a, 1, to_host, b)];
    const struct cluster_link *link =
        t->cluster_link ? &t->cluster_link[(size_t)a * (size_t)t->clusters + (size_t)b] : NULL;
    if (!link)
        return delay;
    delay.latency_of_clusters = link->has_latency;
    if (link->delay.bytes_per_second > 0 || link->delay.rates) {
        delay.bytes_per_second = 0;
        delay.rates = NULL;
    }
    return delay;
}

bool topology_read_delays(struct complaint *c, const struct json *emulate, const struct json *file_hosts,
                          int *entry_of_host, struct topology *t) {
    static const char *const keys[] = {"links", "cluster_pairs", "pairs", "host_interface", "rank", NULL};
    struct link_delay class_delays[LINK_CLASS_COUNT] = {0};
    if (!emulate)
        return true;
    if (!expect_type(c, emulate, JSON_OBJECT, "`emulate`") || !expect_keys(c, emulate, "`emulate`", keys))
        return false;
    const struct json *interface = json_get(emulate, "host_interface");
    if (!read_classes(c, json_get(emulate, "links"), t, class_delays) || !read_interface(c, interface, t) ||
        !read_rank(c, json_get(emulate, "rank"), t) ||
        !topology_read_cluster_links(c, json_get(emulate, "cluster_pairs"), interface != NULL, file_hosts,
                                     entry_of_host, t))
        return false;
    size_t hosts = (size_t)t->hosts;
    t->delay_of_pair = calloc(hosts * hosts, sizeof *t->delay_of_pair);
    if (!t->delay_of_pair)
        return complain(c, emulate, "out of memory for the links between %d hosts", t->hosts);
    for (int a = 0; a < t->hosts; a++)
        for (int b = 0; b < t->hosts; b++)
            t->delay_of_pair[(size_t)a * hosts + (size_t)b] = delay_between(t, class_delays, a, b);
    t->emulates = true;
    return read_pairs(c, json_get(emulate, "pairs"), file_hosts, entry_of_host, t);
}
