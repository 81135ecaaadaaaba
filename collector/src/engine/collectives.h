/* The four collectives, laid out in memory and run. */
#ifndef HOPSCOPE_COLLECTIVES_H
#define HOPSCOPE_COLLECTIVES_H

#include "engine/engine.h"
#include "engine/engine_comm.h"

struct collective_plan {
    const struct tree_spec *up, *down; /* NULL for a phase that is not run */
    int root;                          /* of the call; where it has none, of the tree */
    uint64_t segment_bytes;
    bool arrival_order;
    int64_t unit_bytes; /* size of the datatype; 0 for a barrier */
    uint16_t tree;      /* id in the records */
    int idle_polls;
};

/* MPI's error code; no handler has been called. */
int collective_run(const struct engine_call *call, const struct collective_plan *plan);

#endif
