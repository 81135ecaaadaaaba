/* Which ranks share this one's memory and processors. */
#ifndef HOPSCOPE_NEIGHBORS_H
#define HOPSCOPE_NEIGHBORS_H

#include <stdbool.h>
#include <stdint.h>

struct neighbors {
    int ranks;         /* of MPI_COMM_WORLD */
    uint64_t *machine; /* of each rank; equal where two ranks see one shared memory */
    uint64_t job;      /* equal on all ranks, and in no other job of this machine */
    bool crowded;      /* this machine has more of the ranks than processors that they may use */
};

/* Collective over MPI_COMM_WORLD. False without memory, or if MPI fails; not on all ranks alike. */
bool neighbors_find(struct neighbors *neighbors);
void neighbors_free(struct neighbors *neighbors);

#endif
