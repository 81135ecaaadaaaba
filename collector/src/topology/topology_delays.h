/* The delays in a topology file. */
#ifndef HOPSCOPE_TOPOLOGY_DELAYS_H
#define HOPSCOPE_TOPOLOGY_DELAYS_H

#include "plan/complaint.h"
#include "topology/topology.h"

/* Reads `emulate`. The hosts of ranks must be known. entry_of_host: the file's entry for each host. Adds gateways
 * without ranks to the topology and to entry_of_host. False with a complaint. */
bool topology_read_delays(struct complaint *complaint, const struct json *emulate, const struct json *file_hosts,
                          int *entry_of_host, struct topology *topology);

#endif
