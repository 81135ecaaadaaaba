/* The topology without a file, its link classes and its end. topology_file.c reads the file. */
#include "topology/topology.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topology/topology_file.h"

enum link_class topology_link(const struct topology *topology, int rank_a, int rank_b) {
    if (rank_a == rank_b)
        return LINK_SELF;
    int host_a = topology->host_of_rank[rank_a], host_b = topology->host_of_rank[rank_b];
    if (host_a == host_b)
        return LINK_SHM;
    return topology->cluster_of_host[host_a] == topology->cluster_of_host[host_b] ? LINK_LAN : LINK_WAN;
}

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
    struct topology_owner *owner = calloc(1, sizeof *owner);
    if (!owner)
        return NULL;
    struct topology *t = &owner->topology;
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

struct topology *topology_make(const char *text, size_t length, const char *const *host_names_of_ranks, int ranks,
                               char *message, size_t capacity) {
    if (text)
        return topology_read(text, length, host_names_of_ranks, ranks, message, capacity);
    struct topology *t = topology_empty(ranks, (size_t)ranks, 1);
    bool whole = t && topology_add_cluster(t, "cluster") == 0;
    for (int rank = 0; whole && rank < ranks; rank++) {
        t->host_of_rank[rank] = topology_add_host(t, host_names_of_ranks[rank], 0);
        whole = t->host_of_rank[rank] >= 0;
    }
    if (whole)
        return t;
    topology_free(t);
    snprintf(message, capacity, "1:1: out of memory for a topology of %d ranks", ranks);
    return NULL;
}

void topology_free(struct topology *topology) {
    if (!topology)
        return;
    struct topology_owner *owner = (struct topology_owner *)topology;
    for (int host = 0; host < topology->hosts; host++)
        free(topology->host_names[host]);
    for (int cluster = 0; cluster < topology->clusters; cluster++)
        free(topology->cluster_names[cluster]);
    for (size_t i = 0; i < owner->trace_count; i++)
        free(owner->traces[i]);
    free(owner->traces);
    free(topology->host_of_rank);
    free(topology->cluster_of_host);
    free(topology->host_names);
    free(topology->cluster_names);
    free(topology->delay_of_pair);
    free(owner);
}
