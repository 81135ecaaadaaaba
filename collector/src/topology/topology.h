/* The host of each rank, the cluster of each host, and the delays to emulate. Needs no MPI, so its tests run without
 * MPI. */
#ifndef HOPSCOPE_TOPOLOGY_H
#define HOPSCOPE_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct link_delay {
    uint64_t latency_ns;
    double bytes_per_second;  /* 0: infinite */
    const uint64_t *trace_ns; /* NULL: the latency is always latency_ns */
    size_t trace_length;
    const double *rates; /* NULL: the bandwidth is always bytes_per_second */
    size_t rate_count;
    bool latency_of_clusters; /* for a pair of hosts: the latency of their clusters' link replaces this one */
};

/* A link that all messages from one cluster to another share. */
struct cluster_link {
    struct link_delay delay;
    bool has_latency;
    int gateway_from, gateway_to; /* hosts in the two clusters through whose interfaces all messages pass; -1: none */
};

struct topology {
    int ranks, hosts, clusters;
    int *host_of_rank, *cluster_of_host;
    char **host_names, **cluster_names;
    bool emulates;
    struct link_delay *delay_of_pair;  /* [from host * hosts + to host]; same host: the shm class */
    struct cluster_link *cluster_link; /* [from cluster * clusters + to cluster]; NULL: no links between clusters */
    uint64_t interface_message_ns;     /* both 0: interfaces are not emulated */
    double interface_bytes_per_second;
    bool cut_through;         /* interfaces and links forward bytes as they arrive; otherwise whole messages */
    uint64_t rank_message_ns; /* both 0: a rank sends and receives in no time */
    double rank_byte_ns;
    void **traces; /* memory of the delays' traces */
    size_t trace_count;
};

/* An empty topology with room for this many hosts and clusters. NULL if memory runs out. Free with topology_free. */
struct topology *topology_empty(int ranks, size_t most_hosts, size_t most_clusters);
/* The number of the host or cluster with this name, which is added if it is new. -1 if memory runs out. */
int topology_add_host(struct topology *topology, const char *name, int cluster);
int topology_add_cluster(struct topology *topology, const char *name);
void topology_free(struct topology *topology);

#endif
