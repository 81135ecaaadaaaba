#include "topology/topology.h"

#include <stdlib.h>
#include <string.h>

int topology_add_host(struct topology *topology, const char *name, int cluster) {
    for (int host = 0; host < topology->hosts; host++)
        if (strcmp(topology->host_names[host], name) == 0)
            return host;
    char *copy = strdup(name);
    if (!copy)
        return -1;
    topology->host_names[topology->hosts] = copy;
    topology->cluster_of_host[topology->hosts] = cluster;
    return topology->hosts++;
}

int topology_add_cluster(struct topology *topology, const char *name) {
    for (int cluster = 0; cluster < topology->clusters; cluster++)
        if (strcmp(topology->cluster_names[cluster], name) == 0)
            return cluster;
    char *copy = strdup(name);
    if (!copy)
        return -1;
    topology->cluster_names[topology->clusters] = copy;
    return topology->clusters++;
}

struct topology *topology_empty(int ranks, size_t most_hosts, size_t most_clusters) {
    struct topology *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->ranks = ranks;
    t->host_of_rank = calloc((size_t)ranks, sizeof *t->host_of_rank);
    t->cluster_of_host = calloc(most_hosts, sizeof *t->cluster_of_host);
    t->host_names = calloc(most_hosts, sizeof *t->host_names);
    t->cluster_names = calloc(most_clusters, sizeof *t->cluster_names);
    if (t->host_of_rank && t->cluster_of_host && t->host_names && t->cluster_names)
        return t;
    topology_free(t);
    return NULL;
}

void topology_free(struct topology *topology) {
    if (!topology)
        return;
    for (int host = 0; host < topology->hosts; host++)
        free(topology->host_names[host]);
    for (int cluster = 0; cluster < topology->clusters; cluster++)
        free(topology->cluster_names[cluster]);
    for (size_t i = 0; i < topology->trace_count; i++)
        free(topology->traces[i]);
    free(topology->traces);
    free(topology->host_of_rank);
    free(topology->cluster_of_host);
    free(topology->host_names);
    free(topology->cluster_names);
    free(topology->delay_of_pair);
    free(topology->cluster_link);
    free(topology);
}
