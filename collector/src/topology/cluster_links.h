/* The links between clusters that a topology file lets hosts share. */
#ifndef HOPSCOPE_CLUSTER_LINKS_H
#define HOPSCOPE_CLUSTER_LINKS_H

#include "plan/complaint.h"
#include "topology/topology.h"

/* True if `name` names a host: by the host's own name, or by that of its entry in the file. */
bool topology_host_is_called(const struct topology *topology, const struct json *file_hosts, const int *entry_of_host,
                             int host, const char *name);

/* Reads `cluster_pairs`. has_interfaces: the file emulates interfaces, so gateways have an effect. Adds gateways that
 * have no ranks to the topology and to entry_of_host. False with a complaint. */
bool topology_read_cluster_links(struct complaint *complaint, const struct json *pairs, bool has_interfaces,
                                 const struct json *file_hosts, int *entry_of_host, struct topology *topology);

#endif
