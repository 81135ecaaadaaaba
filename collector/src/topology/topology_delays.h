/* The delays in a topology file. */
#ifndef HOPSCOPE_TOPOLOGY_DELAYS_H
#define HOPSCOPE_TOPOLOGY_DELAYS_H

#include "plan/complaint.h"
#include "topology/topology.h"

/* Reads `emulate`. The topology must already have the hosts of all ranks. entry_of_host: the index of each host's entry
 * in the file. Adds gateways on which no rank runs to the topology and to entry_of_host. False with a complaint. */
bool topology_read_delays(struct complaint *complaint, const struct json *emulate, const struct json *file_hosts,
                          int *entry_of_host, struct topology *topology);

#endif
