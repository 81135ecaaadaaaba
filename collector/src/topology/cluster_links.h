/* The links that a topology file lets clusters share. */
#ifndef HOPSCOPE_CLUSTER_LINKS_H
#define HOPSCOPE_CLUSTER_LINKS_H

#include "plan/complaint.h"
#include "topology/topology.h"

/* Whether name means a host: its own name, or that of its entry in the file. */
bool topology_host_is_called(const struct topology *topology, const struct json *file_hosts, const int *entry_of_host,
                             int host, const char *name);

/* Reads `cluster_pairs`. interfaces: the file emulates them, so that gateways have an effect. Adds gateways that have
 * no ranks to the topology and to entry_of_host. */
bool topology_read_cluster_links(struct complaint *complaint, const struct json *pairs, bool interfaces,
                                 const struct json *file_hosts, int *entry_of_host, struct topology *topology);

#endif
