/* The topology of a job, from its topology file (schemas/topology.schema.json) or, without one, from its machines. */
#ifndef HOPSCOPE_TOPOLOGY_FILE_H
#define HOPSCOPE_TOPOLOGY_FILE_H

#include "topology/topology.h"

/* Makes a topology. host_names_of_ranks: the machine of each world rank. text NULL: every machine is a host of one
 * cluster. On error returns NULL with a message (line:column: the fault; the remedy). Free it with topology_free. */
struct topology *topology_make(const char *text, size_t length, const char *const *host_names_of_ranks, int ranks,
                               char *message, size_t capacity);

#endif
