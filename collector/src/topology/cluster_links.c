#include "topology/cluster_links.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topology/link_delay.h"

static const char *text_of(const struct json *object, const char *key) {
    return json_get(object, key)->string;
}

bool topology_host_is_called(const struct topology *topology, const struct json *file_hosts, const int *entry_of_host,
                             int host, const char *name) {
    return strcmp(topology->host_names[host], name) == 0 ||
           strcmp(text_of(&file_hosts->items[entry_of_host[host]], "name"), name) == 0;
}

/* Writes the names of the clusters, each once, separated by commas. Cuts off what exceeds the capacity. */
static void list_clusters(const struct json *file_hosts, char *text, size_t capacity) {
    size_t length = 0;
    text[0] = '\0';
    for (size_t i = 0; i < file_hosts->length && length < capacity; i++) {
        const char *name = text_of(&file_hosts->items[i], "cluster");
        bool is_listed = false;
        for (size_t previous = 0; previous < i; previous++)
            is_listed = is_listed || strcmp(text_of(&file_hosts->items[previous], "cluster"), name) == 0;
        if (!is_listed)
            length += (size_t)snprintf(text + length, capacity - length, "%s`%s`", length ? ", " : "", name);
    }
}

static bool expect_cluster(struct complaint *c, const struct json *pair, const char *key,
                           const struct json *file_hosts) {
    const struct json *name = json_get(pair, key);
    char clusters[200];
    if (!name)
        return complain(c, pair, "this pair of clusters has no `%s`; name a cluster", key);
    if (!expect_type(c, name, JSON_STRING, key))
        return false;
    for (size_t i = 0; i < file_hosts->length; i++)
        if (strcmp(text_of(&file_hosts->items[i], "cluster"), name->string) == 0)
            return true;
    list_clusters(file_hosts, clusters, sizeof clusters);
    return complain(c, name, "`%s` names the cluster `%.64s`, which no host is in; the clusters are %s", key,
                    name->string, clusters);
}

static int find_cluster(const struct topology *topology, const char *name) {
    for (int cluster = 0; cluster < topology->clusters; cluster++)
        if (strcmp(topology->cluster_names[cluster], name) == 0)
            return cluster;
    return -1; /* no rank of this job runs in that cluster */
}

/* Finds the host that a gateway names. Adds the host if no rank runs on it. */
static bool read_gateway(struct complaint *c, const struct json *name, const char *key, const char *cluster,
                         const struct json *file_hosts, int *entry_of_host, struct topology *t, int *gateway) {
    size_t entry = 0;
    int match_count = 0;
    if (!name)
        return true;
    if (!expect_type(c, name, JSON_STRING, key))
        return false;
    for (int host = 0; host < t->hosts; host++)
        if (topology_host_is_called(t, file_hosts, entry_of_host, host, name->string)) {
            *gateway = host;
            entry = (size_t)entry_of_host[host];
            match_count++;
        }
    if (match_count > 1)
        return complain(c, name, "the gateway `%.64s` stands for %d machines; name one of them", name->string,
                        match_count);
    while (!match_count && entry < file_hosts->length &&
           strcmp(text_of(&file_hosts->items[entry], "name"), name->string) != 0)
        entry++;
    if (entry == file_hosts->length)
        return complain(c, name, "the gateway `%.64s` is not in `hosts`; add it there", name->string);
    const char *host_cluster = text_of(&file_hosts->items[entry], "cluster");
    if (strcmp(host_cluster, cluster) != 0)
        return complain(c, name, "the gateway `%.64s` is in the cluster `%s`; name a host of `%s`", name->string,
                        host_cluster, cluster);
    int number = find_cluster(t, cluster);
    if (match_count || number < 0)
        return true;
    *gateway = topology_add_host(t, name->string, number);
    if (*gateway < 0)
        return complain(c, name, "out of memory");
    entry_of_host[*gateway] = (int)entry;
    return true;
}

static bool read_gateways(struct complaint *c, const struct json *pair, bool has_interfaces,
                          const struct json *file_hosts, int *entry_of_host, struct topology *t,
                          struct cluster_link *link) {
    static const char *const keys[] = {"from", "to", NULL};
    const struct json *gateways = json_get(pair, "gateways");
    link->gateway_from = link->gateway_to = -1;
    if (!gateways)
        return true;
    if (!expect_type(c, gateways, JSON_OBJECT, "`gateways`") || !expect_keys(c, gateways, "`gateways`", keys))
        return false;
    if (!has_interfaces)
        return complain(c, gateways, "`gateways` have no effect without `host_interface`; add it to `emulate`");
    return read_gateway(c, json_get(gateways, "from"), "from", text_of(pair, "from"), file_hosts, entry_of_host, t,
                        &link->gateway_from) &&
           read_gateway(c, json_get(gateways, "to"), "to", text_of(pair, "to"), file_hosts, entry_of_host, t,
                        &link->gateway_to);
}

static bool expect_pair(struct complaint *c, const struct json *pairs, size_t i, const struct json *file_hosts) {
    static const char *const keys[] = {"from", "to", LINK_DELAY_KEYS, "gateways", NULL};
    const struct json *pair = &pairs->items[i];
    if (!expect_type(c, pair, JSON_OBJECT, "a pair of clusters") || !expect_keys(c, pair, "a pair of clusters", keys) ||
        !expect_cluster(c, pair, "from", file_hosts) || !expect_cluster(c, pair, "to", file_hosts))
        return false;
    const char *from_cluster = text_of(pair, "from"), *to_cluster = text_of(pair, "to");
    if (strcmp(from_cluster, to_cluster) == 0)
        return complain(c, pair, "`from` and `to` are both `%s`; `links.lan` is for the links inside a cluster",
                        from_cluster);
    for (size_t previous = 0; previous < i; previous++)
        if (strcmp(text_of(&pairs->items[previous], "from"), from_cluster) == 0 &&
            strcmp(text_of(&pairs->items[previous], "to"), to_cluster) == 0)
            return complain(c, pair, "the pair of clusters from `%s` to `%s` is listed twice; merge the two",
                            from_cluster, to_cluster);
    return true;
}

bool topology_read_cluster_links(struct complaint *c, const struct json *pairs, bool has_interfaces,
                                 const struct json *file_hosts, int *entry_of_host, struct topology *t) {
    size_t clusters = (size_t)t->clusters;
    if (!pairs)
        return true;
    if (!expect_type(c, pairs, JSON_ARRAY, "`cluster_pairs`"))
        return false;
    t->cluster_link = calloc(clusters * clusters, sizeof *t->cluster_link);
    if (!t->cluster_link)
        return complain(c, pairs, "out of memory for the links between %d clusters", t->clusters);
    for (size_t i = 0; i < clusters * clusters; i++)
        t->cluster_link[i].gateway_from = t->cluster_link[i].gateway_to = -1;
    for (size_t i = 0; i < pairs->length; i++) {
        const struct json *pair = &pairs->items[i];
        struct cluster_link link = {.has_latency = link_delay_has_latency(pair)};
        if (!expect_pair(c, pairs, i, file_hosts) || !link_delay_read(c, pair, t, &link.delay) ||
            !read_gateways(c, pair, has_interfaces, file_hosts, entry_of_host, t, &link))
            return false;
        int from_cluster = find_cluster(t, text_of(pair, "from")), to_cluster = find_cluster(t, text_of(pair, "to"));
        if (from_cluster >= 0 && to_cluster >= 0)
            t->cluster_link[(size_t)from_cluster * clusters + (size_t)to_cluster] = link;
    }
    return true;
}
