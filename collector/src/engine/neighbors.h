/* The ranks that share this rank's memory and processors. */
#ifndef HOPSCOPE_NEIGHBORS_H
#define HOPSCOPE_NEIGHBORS_H

#include <stdbool.h>
#include <stdint.h>

#include "topology/topology.h"

struct neighbors {
    int ranks;        /* number of ranks in MPI_COMM_WORLD */
    uint64_t *memory; /* an id of each rank's memory; two ranks with the same id share memory */
    uint64_t job;     /* equal on all ranks, and unique on this machine */
    bool crowded;     /* the ranks on this machine outnumber the processors that they may use */
};

/* Finds the neighbours of this rank. Collective over MPI_COMM_WORLD. Ranks on two hosts of the topology share no
 * memory, wherever they run. False if memory or MPI fails, perhaps only on some ranks. neighbors_free frees the
 * contents. */
bool neighbors_find(struct neighbors *neighbors, const struct topology *topology);
void neighbors_free(struct neighbors *neighbors);

#endif
