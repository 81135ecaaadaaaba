/* The algorithms: which operations each serves, and the generator that lays its schedule. */
#ifndef HOPSCOPE_ALGORITHM_H
#define HOPSCOPE_ALGORITHM_H

#include <stddef.h>

#include "hopscope/nearest.h"
#include "plan/schedule.h"

enum algorithm_property {
    KEEPS_ORDER = 1, /* operands stay in rank order, so the op need not commute */
    CUTS = 2,        /* messages can be cut into segments: `segment_bytes` means something */
    RANGES = 4,      /* its messages hold several blocks, which have to lie one behind the other in both buffers */
    BY_TREE = 8,     /* a rule asks for it by naming trees, not by the algorithm's name */
};

struct algorithm {
    const char *name;    /* as rules and HOPSCOPE_TREE have it; several rows may share it */
    uint32_t operations; /* a bit for each that this row serves */
    uint32_t properties;
    bool (*lay)(struct schedule *schedule, const struct schedule_request *request);
};

/* Ends with a row without a name. */
extern const struct algorithm algorithms[];

/* The row that serves an operation; NULL: none does. name NULL: the one by trees. */
const struct algorithm *algorithm_find(const char *name, enum operation operation);
/* The operations that an algorithm serves; 0: there is none of that name. */
uint32_t algorithm_operations(const char *name);
/* Writes `a, b or c`: the algorithms that serve an operation, or (OPERATIONS) all. Returns text. */
char *algorithm_names(enum operation operation, char *text, size_t capacity);

/* Tries all of them. */
void algorithm_nearest(struct nearest *nearest);

/* Fills the schedule, whose memory is reused, for the algorithm. False without memory. */
bool algorithm_lay(const struct algorithm *algorithm, struct schedule *schedule,
                   const struct schedule_request *request);

/* The generators. */
bool schedule_tree(struct schedule *, const struct schedule_request *);
bool schedule_gather_tree(struct schedule *, const struct schedule_request *);
bool schedule_scatter_tree(struct schedule *, const struct schedule_request *);
bool schedule_split_binary(struct schedule *, const struct schedule_request *);
bool schedule_doubling_allreduce(struct schedule *, const struct schedule_request *);
bool schedule_doubling_allgather(struct schedule *, const struct schedule_request *);
bool schedule_doubling_barrier(struct schedule *, const struct schedule_request *);
bool schedule_doubling_scan(struct schedule *, const struct schedule_request *);
bool schedule_dissemination_barrier(struct schedule *, const struct schedule_request *);
bool schedule_bruck_allgather(struct schedule *, const struct schedule_request *);
bool schedule_bruck_alltoall(struct schedule *, const struct schedule_request *);
bool schedule_ring_allreduce(struct schedule *, const struct schedule_request *);
bool schedule_ring_allgather(struct schedule *, const struct schedule_request *);
bool schedule_ring_reduce_scatter(struct schedule *, const struct schedule_request *);
bool schedule_double_ring_barrier(struct schedule *, const struct schedule_request *);
bool schedule_pairwise_alltoall(struct schedule *, const struct schedule_request *);
bool schedule_pairwise_reduce_scatter(struct schedule *, const struct schedule_request *);
bool schedule_linear_alltoall(struct schedule *, const struct schedule_request *);
bool schedule_linear_gather(struct schedule *, const struct schedule_request *);
bool schedule_linear_scatter(struct schedule *, const struct schedule_request *);
bool schedule_linear_scan(struct schedule *, const struct schedule_request *);

#endif
