/* The algorithms: the operations that each one runs, and the generator of its schedule. */
#ifndef HOPSCOPE_ALGORITHM_H
#define HOPSCOPE_ALGORITHM_H

#include <stddef.h>

#include "plan/schedule.h"

struct nearest;

enum algorithm_property {
    KEEPS_ORDER = 1, /* combines operands in rank order, so the MPI operation need not commute */
    CUTS = 2,        /* can cut messages into segments, so a rule may set `segment_bytes` */
    RANGES = 4,      /* a message may hold several blocks, which must be contiguous in the input and in the output */
    BY_TREE = 8,     /* a rule selects it by naming trees, not by its name */
    IN_GROUPS = 16,  /* a rule also defines groups of ranks; the order of operands depends on them */
};

/* Generates one rank's schedule. False if memory runs out. */
typedef bool schedule_generator(struct schedule *schedule, const struct schedule_request *request);

struct algorithm {
    const char *name;    /* the name in rules and HOPSCOPE_TREE; several rows may have the same name */
    uint32_t operations; /* one bit for each operation that this row serves */
    uint32_t properties;
    schedule_generator *generate;
    const char *meaning; /* how it works, for the documents */
};

/* All algorithms. The last row has no name. */
extern const struct algorithm algorithms[];

/* The row for an operation and a name; NULL if there is none. name NULL: the algorithm that runs over trees. */
const struct algorithm *algorithm_find(const char *name, enum operation operation);
/* The operations that an algorithm runs; 0 if no algorithm has this name. */
uint32_t algorithm_operations(const char *name);
/* Writes `a, b or c`: the algorithms that run an operation, or all algorithms (OPERATIONS). Returns the text. */
char *algorithm_names(enum operation operation, char *text, size_t capacity);

/* Adds the names of all algorithms as candidates to a search for the most similar name. */
void algorithm_nearest(struct nearest *nearest);

/* Fills the schedule for the algorithm, reusing its memory. False if memory runs out. */
bool algorithm_schedule(const struct algorithm *algorithm, struct schedule *schedule,
                        const struct schedule_request *request);

/* The generators of the table's algorithms. */
schedule_generator schedule_tree, schedule_gather_tree, schedule_scatter_tree, schedule_split_binary,
    schedule_doubling_allreduce, schedule_doubling_allgather, schedule_doubling_barrier, schedule_doubling_scan,
    schedule_dissemination_barrier, schedule_bruck_allgather, schedule_bruck_alltoall, schedule_ring_allreduce,
    schedule_ring_allgather, schedule_ring_reduce_scatter, schedule_double_ring_barrier, schedule_pairwise_alltoall,
    schedule_pairwise_reduce_scatter, schedule_linear_alltoall, schedule_linear_gather, schedule_linear_scatter,
    schedule_linear_scan, schedule_leaders_allreduce, schedule_leaders_reduce, schedule_leaders_bcast,
    schedule_leaders_barrier, schedule_leaders_allgather, schedule_leaders_reduce_scatter;

#endif
