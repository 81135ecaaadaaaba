/* Computes the times at which emulated messages arrive. Needs no MPI, so its tests run without MPI.
 *
 * The shared memory is an array of two kinds of numbers. First, the time until which each resource is busy, in this
 * order: sending interfaces [hosts], receiving interfaces [hosts], directed pairs of hosts [hosts * hosts] and directed
 * pairs of clusters [clusters * clusters]. Then, the number of messages that each pair of hosts and of clusters has
 * carried, which selects the next entry of a delay trace.
 */
#include "engine/links.h"

static size_t pairs_of(const struct topology *t) {
    return (size_t)t->hosts * (size_t)t->hosts + (t->cluster_link ? (size_t)t->clusters * (size_t)t->clusters : 0);
}

size_t links_shared_bytes(const struct topology *t) {
    bool is_shared = t->cluster_link || t->interface_message_ns > 0 || t->interface_bytes_per_second > 0;
    for (size_t i = 0; !is_shared && i < (size_t)t->hosts * (size_t)t->hosts; i++)
        is_shared =
            t->delay_of_pair[i].bytes_per_second > 0 || t->delay_of_pair[i].rates || t->delay_of_pair[i].trace_ns;
    return is_shared ? (2 * (size_t)t->hosts + 2 * pairs_of(t)) * sizeof(uint64_t) : 0;
}

static uint64_t duration_ns(int64_t bytes, double bytes_per_second) {
    return bytes_per_second > 0 ? (uint64_t)((double)bytes / bytes_per_second * 1e9) : 0;
}

/* Occupies a resource for duration_ns, from begin_ns on or from when it is free. Returns the end of that interval. */
static uint64_t occupy(_Atomic uint64_t *busy_until, uint64_t begin_ns, uint64_t duration_ns) {
    uint64_t busy_ns = atomic_load_explicit(busy_until, memory_order_relaxed), end_ns;
    if (duration_ns == 0)
        return begin_ns > busy_ns ? begin_ns : busy_ns;
    do
        end_ns = (begin_ns > busy_ns ? begin_ns : busy_ns) + duration_ns;
    while (!atomic_compare_exchange_weak_explicit(busy_until, &busy_ns, end_ns, memory_order_relaxed,
                                                  memory_order_relaxed));
    return end_ns;
}

/* Passes a message through one resource. With cut-through, the resource forwards the first byte while the others still
 * arrive. The last byte cannot leave before it has arrived. */
static struct passage pass(const struct links *links, _Atomic uint64_t *busy_until, uint64_t message_ns,
                           uint64_t bytes_ns, struct passage arrival) {
    uint64_t end_ns = occupy(busy_until, arrival.first_byte_ns, message_ns + bytes_ns);
    if (!links->topology->cut_through)
        return (struct passage){end_ns, end_ns};
    uint64_t last_ns = arrival.last_byte_ns + message_ns;
    return (struct passage){end_ns - bytes_ns, last_ns > end_ns ? last_ns : end_ns};
}

static struct passage pass_interface(struct links *links, size_t interface, int64_t bytes, struct passage arrival) {
    const struct topology *t = links->topology;
    uint64_t bytes_ns = duration_ns(bytes, t->interface_bytes_per_second);
    if (t->interface_message_ns + bytes_ns == 0)
        return arrival;
    return pass(links, &links->shared[interface], t->interface_message_ns, bytes_ns, arrival);
}

static struct passage pass_gateway(struct links *links, int gateway, int64_t bytes, struct passage arrival) {
    size_t hosts = (size_t)links->topology->hosts, host = (size_t)gateway;
    arrival = pass_interface(links, hosts + host, bytes, arrival);
    return pass_interface(links, host, bytes, arrival);
}

/* Passes a message over the link of a pair. pair: index of a pair of hosts; the pairs of clusters follow those of
 * hosts.
 */
static struct passage pass_link(struct links *links, const struct link_delay *delay, size_t pair, int64_t bytes,
                                struct passage arrival, uint64_t *latency) {
    const struct topology *t = links->topology;
    size_t first = 2 * (size_t)t->hosts;
    double rate = delay->bytes_per_second;
    *latency = delay->latency_ns;
    if (delay->trace_ns || delay->rates) {
        uint64_t message_index =
            atomic_fetch_add_explicit(&links->shared[first + pairs_of(t) + pair], 1, memory_order_relaxed);
        if (delay->trace_ns)
            *latency = delay->trace_ns[message_index % delay->trace_length];
        if (delay->rates)
            rate = delay->rates[message_index % delay->rate_count];
    }
    return rate > 0 ? pass(links, &links->shared[first + pair], 0, duration_ns(bytes, rate), arrival) : arrival;
}

struct passage links_send(struct links *links, int from_host, int to_host, int64_t bytes, uint64_t send_ns) {
    const struct topology *t = links->topology;
    size_t hosts = (size_t)t->hosts, pair = (size_t)from_host * hosts + (size_t)to_host;
    size_t clusters = (size_t)t->cluster_of_host[from_host] * (size_t)t->clusters + (size_t)t->cluster_of_host[to_host];
    const struct cluster_link *cluster_link = t->cluster_link ? &t->cluster_link[clusters] : NULL;
    struct passage arrival = {send_ns, send_ns};
    uint64_t latency_ns, cluster_latency_ns = 0;
    if (from_host != to_host)
        arrival = pass_interface(links, (size_t)from_host, bytes, arrival);
    if (cluster_link && cluster_link->gateway_from >= 0 && cluster_link->gateway_from != from_host)
        arrival = pass_gateway(links, cluster_link->gateway_from, bytes, arrival);
    arrival = pass_link(links, &t->delay_of_pair[pair], pair, bytes, arrival, &latency_ns);
    if (cluster_link)
        arrival = pass_link(links, &cluster_link->delay, hosts * hosts + clusters, bytes, arrival, &cluster_latency_ns);
    if (t->delay_of_pair[pair].latency_of_clusters)
        latency_ns = cluster_latency_ns;
    return (struct passage){arrival.first_byte_ns + latency_ns, arrival.last_byte_ns + latency_ns};
}

uint64_t links_receive(struct links *links, int from_host, int to_host, int64_t bytes, struct passage arrival) {
    const struct topology *t = links->topology;
    int gateway =
        t->cluster_link
            ? t->cluster_link[t->cluster_of_host[from_host] * t->clusters + t->cluster_of_host[to_host]].gateway_to
            : -1;
    if (gateway >= 0 && gateway != to_host)
        arrival = pass_gateway(links, gateway, bytes, arrival);
    if (from_host != to_host)
        arrival = pass_interface(links, (size_t)(t->hosts + to_host), bytes, arrival);
    return arrival.last_byte_ns;
}

bool links_occupy_ranks(const struct links *links) {
    return links->topology->rank_message_ns > 0 || links->topology->rank_byte_ns > 0;
}

bool links_rank_is_free(const struct links *links, uint64_t now_ns) {
    return atomic_load_explicit(&links->rank_until, memory_order_relaxed) <= now_ns;
}

uint64_t links_rank(struct links *links, int64_t bytes, uint64_t begin_ns) {
    const struct topology *t = links->topology;
    return occupy(&links->rank_until, begin_ns, t->rank_message_ns + (uint64_t)((double)bytes * t->rank_byte_ns));
}
