/* Reads the links between clusters from a topology file. All hosts of two clusters share such a link. */
#ifndef HOPSCOPE_CLUSTER_LINKS_H
#define HOPSCOPE_CLUSTER_LINKS_H

#include "plan/complaint.h"
#include "topology/topology.h"

/* True if `name` is the name of a host, or that of its entry in the file. */
bool topology_host_is_called(const struct topology *topology, const struct json *file_hosts, const int *entry_of_host,
                             int host, const char *name);

/* Reads `cluster_pairs`. has_interfaces: the file emulates interfaces; without them, gateways are an error. Adds
 * gateways on which no rank runs to the topology and to entry_of_host. False with a complaint. */
bool topology_read_cluster_links(struct complaint *complaint, const struct json *pairs, bool has_interfaces,
                                 const struct json *file_hosts, int *entry_of_host, struct topology *topology);

#endif
