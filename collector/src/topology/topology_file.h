/* Reading the topology file (schemas/topology.schema.json), and what it shares with topology.c. */
#ifndef HOPSCOPE_TOPOLOGY_FILE_H
#define HOPSCOPE_TOPOLOGY_FILE_H

#include "plan/complaint.h"
#include "topology/topology.h"

/* A topology with what only topology_free needs to know. */
struct topology_owner {
    struct topology topology; /* first: the two share their address */
    uint64_t **traces;
    size_t trace_count;
};

struct topology *topology_empty(int ranks, size_t most_hosts, size_t most_clusters);
/* The number of the host or cluster of this name, new or known; -1 without memory. */
int topology_add_host(struct topology *topology, const char *name, int cluster);
int topology_add_cluster(struct topology *topology, const char *name);
/* As topology_make with a text. */
struct topology *topology_read(const char *text, size_t length, const char *const *host_names_of_ranks, int ranks,
                               char *message, size_t capacity);
/* Fills what `emulate` says; hosts and names_of_host (which entry of the file each host came from) are known by now. */
bool topology_read_delays(struct complaint *complaint, const struct json *emulate, const struct json *file_hosts,
                          const int *entry_of_host, struct topology *topology);

#endif
