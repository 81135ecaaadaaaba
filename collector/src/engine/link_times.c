/* Computes due times. Pure: builds and is tested without MPI.
 *
 * Shared, each busy until: [hosts] sending interfaces, [hosts] receiving ones, [hosts * hosts] directed pairs of hosts,
 * [clusters * clusters] those of clusters. Then how many messages each pair of hosts and of clusters has carried, which
 * says whose turn it is in a trace. */
#include "engine/links.h"

static size_t pairs_of(const struct topology *t) {
    return (size_t)t->hosts * (size_t)t->hosts + (t->cluster_link ? (size_t)t->clusters * (size_t)t->clusters : 0);
}

size_t links_shared_bytes(const struct topology *t) {
    bool any = t->cluster_link || t->interface_message_ns > 0 || t->interface_bytes_per_second > 0;
    for (size_t i = 0; !any && i < (size_t)t->hosts * (size_t)t->hosts; i++)
        any = t->delay_of_pair[i].bytes_per_second > 0 || t->delay_of_pair[i].rates || t->delay_of_pair[i].trace_ns;
    return any ? (2 * (size_t)t->hosts + 2 * pairs_of(t)) * sizeof(uint64_t) : 0;
}

static uint64_t duration_ns(int64_t bytes, double bytes_per_second) {
    return bytes_per_second > 0 ? (uint64_t)((double)bytes / bytes_per_second * 1e9) : 0;
}

/* Takes the next free interval of this length from `at` on; returns its end. */
static uint64_t occupy(_Atomic uint64_t *busy_until, uint64_t at, uint64_t duration) {
    uint64_t busy = atomic_load_explicit(busy_until, memory_order_relaxed), end;
    if (duration == 0)
        return at > busy ? at : busy;
    do
        end = (at > busy ? at : busy) + duration;
    while (!atomic_compare_exchange_weak_explicit(busy_until, &busy, end, memory_order_relaxed, memory_order_relaxed));
    return end;
}

/* Cut through, the first byte goes on while the others come, and the last one has to come before it can go. */
static struct passage pass(const struct links *links, _Atomic uint64_t *busy_until, uint64_t message_ns,
                           uint64_t bytes_ns, struct passage at) {
    uint64_t end = occupy(busy_until, at.first, message_ns + bytes_ns);
    if (!links->topology->cut_through)
        return (struct passage){end, end};
    uint64_t last = at.last + message_ns;
    return (struct passage){end - bytes_ns, last > end ? last : end};
}

static struct passage pass_interface(struct links *links, size_t interface, int64_t bytes, struct passage at) {
    const struct topology *t = links->topology;
    uint64_t bytes_ns = duration_ns(bytes, t->interface_bytes_per_second);
    if (t->interface_message_ns + bytes_ns == 0)
        return at;
    return pass(links, &links->shared[interface], t->interface_message_ns, bytes_ns, at);
}

static struct passage pass_gateway(struct links *links, int gateway, int64_t bytes, struct passage at) {
    size_t hosts = (size_t)links->topology->hosts, host = (size_t)gateway;
    at = pass_interface(links, hosts + host, bytes, at);
    return pass_interface(links, host, bytes, at);
}

/* pair: of hosts, or those of clusters after them. */
static struct passage pass_link(struct links *links, const struct link_delay *delay, size_t pair, int64_t bytes,
                                struct passage at, uint64_t *latency) {
    const struct topology *t = links->topology;
    size_t first = 2 * (size_t)t->hosts;
    double rate = delay->bytes_per_second;
    *latency = delay->latency_ns;
    if (delay->trace_ns || delay->rates) {
        uint64_t turn = atomic_fetch_add_explicit(&links->shared[first + pairs_of(t) + pair], 1, memory_order_relaxed);
        if (delay->trace_ns)
            *latency = delay->trace_ns[turn % delay->trace_length];
        if (delay->rates)
            rate = delay->rates[turn % delay->rate_count];
    }
    return rate > 0 ? pass(links, &links->shared[first + pair], 0, duration_ns(bytes, rate), at) : at;
}

struct passage links_send(struct links *links, int from, int to, int64_t bytes, uint64_t now) {
    const struct topology *t = links->topology;
    size_t hosts = (size_t)t->hosts, pair = (size_t)from * hosts + (size_t)to;
    size_t clusters = (size_t)t->cluster_of_host[from] * (size_t)t->clusters + (size_t)t->cluster_of_host[to];
    const struct cluster_link *shared = t->cluster_link ? &t->cluster_link[clusters] : NULL;
    struct passage at = {now, now};
    uint64_t latency, latency_of_clusters = 0;
    if (from != to)
        at = pass_interface(links, (size_t)from, bytes, at);
    if (shared && shared->gateway_from >= 0 && shared->gateway_from != from)
        at = pass_gateway(links, shared->gateway_from, bytes, at);
    at = pass_link(links, &t->delay_of_pair[pair], pair, bytes, at, &latency);
    if (shared)
        at = pass_link(links, &shared->delay, hosts * hosts + clusters, bytes, at, &latency_of_clusters);
    if (t->delay_of_pair[pair].latency_of_clusters)
        latency = latency_of_clusters;
    return (struct passage){at.first + latency, at.last + latency};
}

uint64_t links_receive(struct links *links, int from, int to, int64_t bytes, struct passage at) {
    const struct topology *t = links->topology;
    int gateway = t->cluster_link
                      ? t->cluster_link[t->cluster_of_host[from] * t->clusters + t->cluster_of_host[to]].gateway_to
                      : -1;
    if (gateway >= 0 && gateway != to)
        at = pass_gateway(links, gateway, bytes, at);
    if (from != to)
        at = pass_interface(links, (size_t)(t->hosts + to), bytes, at);
    return at.last;
}

bool links_occupy_ranks(const struct links *links) {
    return links->topology->rank_message_ns > 0 || links->topology->rank_byte_ns > 0;
}

bool links_rank_is_free(const struct links *links, uint64_t now) {
    return atomic_load_explicit(&links->rank_until, memory_order_relaxed) <= now;
}

uint64_t links_rank(struct links *links, int64_t bytes, uint64_t at) {
    const struct topology *t = links->topology;
    return occupy(&links->rank_until, at, t->rank_message_ns + (uint64_t)((double)bytes * t->rank_byte_ns));
}
