/* rank -> host -> cluster, link classes, and the delays to emulate. Pure: builds and is tested without MPI. */
#ifndef HOPSCOPE_TOPOLOGY_H
#define HOPSCOPE_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum link_class { LINK_SELF, LINK_SHM, LINK_LAN, LINK_WAN };

struct link_delay {
    uint64_t latency_ns;
    double bytes_per_second;  /* 0: infinite */
    const uint64_t *trace_ns; /* NULL: latency_ns always */
    size_t trace_length;
};

struct topology {
    int ranks, hosts, clusters;
    int *host_of_rank, *cluster_of_host;
    char **host_names, **cluster_names;
    bool emulates;
    struct link_delay *delay_of_pair; /* [from host * hosts + to host]; same host: the shm class */
    uint64_t interface_message_ns;    /* 0 and 0: interfaces are not emulated */
    double interface_bytes_per_second;
};

/* host_names_of_ranks: the machine each world rank runs on. text NULL: every machine a host of one cluster.
 * NULL on error with a message (line:column: what is wrong; what would be right). */
struct topology *topology_make(const char *text, size_t length, const char *const *host_names_of_ranks, int ranks,
                               char *message, size_t capacity);
void topology_free(struct topology *topology);
enum link_class topology_link(const struct topology *topology, int rank_a, int rank_b);

#endif
