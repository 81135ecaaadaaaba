/* A schedule: the steps of one rank in one collective, as a dependency graph of nonblocking steps. It needs no MPI.
 *
 * Lengths and positions are in units: elements of the user's datatype for reductions, packed bytes for data movement. A
 * message may be cut into segments, which follow one another.
 *
 * To add an algorithm, write a function that fills a schedule, and add a row to algorithm.c; no other code needs to
 * know it. The function must add steps in an order in which they could run one by one, with the sends of a round before
 * its receives. A rank that lacks memory for a schedule then runs each step as soon as it is added (see `on_step`).
 */
#ifndef HOPSCOPE_SCHEDULE_H
#define HOPSCOPE_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#include "plan/operation.h"
#include "plan/tree.h"
#include "schemas/otf2.h"

enum step_kind { STEP_RECEIVE, STEP_SEND, STEP_COMBINE, STEP_COPY, STEP_JOIN /* does nothing: joins several steps */ };

/* The buffers on which steps work. SLOT_INPUT and SLOT_OUTPUT are the user's and hold all data; every other slot has
 * schedule.ring_units units. */
enum buffer_slot {
    SLOT_INPUT,             /* this rank's contribution; read only */
    SLOT_OUTPUT,            /* this rank's result */
    SLOT_OWN,               /* trees: a copy of the contribution */
    SLOT_OTHER,             /* the first slot that a generator may define; slot_count is the number of slots */
    SLOT_CHILD = SLOT_OTHER /* trees: SLOT_CHILD + i receives from child i */
};

struct step {
    uint8_t kind, role;
    uint16_t round;
    int peer; /* RECEIVE and SEND: rank in the communicator */
    uint32_t segment;
    int slot;    /* RECEIVE and COPY write to it, SEND reads it; COMBINE: slot = operand op slot, as MPI_Reduce_local */
    int operand; /* the slot that COPY and COMBINE read */
    int64_t position, operand_position; /* units from the beginning of the slot and of the operand */
    int64_t length;
    int unmet;   /* number of steps that must finish before this one */
    int waiting; /* for the executor: number of these steps that are not done; reset to `unmet` when this one starts */
    /* Indices into edges, -1 for none: the steps that wait for this one, in the order in which they were added. Steps
     * that become ready together start in this order: in a broadcast, the tree's order of children. */
    int first_edge, last_edge;
    uint64_t request; /* for the executor: the id of its message in the records */
};

struct edge {
    int step, next;
};

/* A finished schedule may run any number of times. */
struct schedule {
    struct step *steps;
    int step_count, step_capacity;
    struct edge *edges;
    int edge_count, edge_capacity;
    int *ready; /* steps without dependencies; receives first, so that they are posted before messages arrive */
    int ready_count, ready_capacity;
    int most_messages;  /* upper bound on messages under way */
    int slot_count;     /* slots in use */
    int64_t ring_units; /* units of each slot that is not the user's; 0: there is no such slot */
    bool own_ring;      /* true: SLOT_OWN is used */
    /* If set, the schedule keeps no steps and uses no memory. It passes each step to this function, in an order in
     * which each step can run at once. */
    void (*on_step)(void *context, const struct step *step);
    void *on_step_context;
};

/* The longest message, because MPI's counts are int. */
#define SCHEDULE_MOST_BYTES (INT64_C(1) << 30)

/* The number of units in the longest message. */
static inline int64_t schedule_most_units(int64_t unit_bytes) {
    return unit_bytes < SCHEDULE_MOST_BYTES ? SCHEDULE_MOST_BYTES / unit_bytes : 1;
}

/* The segments of a message. They are equal on every member. */
struct segmentation {
    int64_t units;         /* length of the whole message */
    int64_t segment_units; /* length of each segment except the last */
    int segments;          /* number of segments: at least 1, even for an empty message */
    int window;            /* the most segments that are under way at a time */
};

enum { SCHEDULE_WINDOW = 64, SCHEDULE_MOST_SEGMENTS = 4096 };
/* Cuts a message into segments of segment_bytes. 0: one segment, or more for a message above SCHEDULE_MOST_BYTES. If
 * the message would have more than SCHEDULE_MOST_SEGMENTS segments, makes them longer. */
struct segmentation segmentation_of(int64_t units, int64_t unit_bytes, uint64_t segment_bytes);

/* The number of units in one segment. */
static inline int64_t segmentation_units(const struct segmentation *cut, int segment) {
    return segment < cut->segments - 1 ? cut->segment_units : cut->units - segment * cut->segment_units;
}

/* The number of units in the first `count` shares of a vector that is divided among `size` ranks. If it does not divide
 * evenly, the first ranks have one unit more. */
static inline int64_t schedule_shares(int64_t units, int size, int count) {
    int64_t longer = units % size;
    return count * (units / size) + (count < longer ? count : longer);
}

/* The position and length of each rank's block in a buffer, in units. NULL: not known here, or not used. */
struct blocks {
    const int64_t *positions, *lengths;
};

/* The size of the memory that a generator may use, in ints per rank. */
enum { SCHEDULE_SCRATCH = 13 };

struct groups_spec;

struct schedule_request {
    enum operation operation;
    int rank, size, root;
    bool in_place;      /* SLOT_INPUT and SLOT_OUTPUT are the same memory, which holds the contribution at first */
    bool empty;         /* there is no data, as in a barrier: nothing is combined or copied */
    int64_t most_units; /* the greatest length of a message */
    /* For operations in which every message holds the whole data: */
    struct segmentation cut;
    bool arrival_order; /* trees: combine operands in the order of their arrival */
    /* For trees: this rank's position in the tree of each role; NULL: the role does not run. Gather and scatter also
     * need the tree itself, to know the subtrees. */
    const struct tree_position *up, *down;
    const struct tree_spec *tree;
    const struct groups_spec *groups; /* leaders: how to group ranks */
    const struct tree_members *members;
    int *scratch; /* SCHEDULE_SCRATCH * size ints */
    /* For operations with a block for each rank: the blocks of the two buffers. If a buffer has only the rank's own
     * block, only entry `rank` is set: in Allgather the input, in Gather and Scatter the buffer of a rank other than
     * the root. In Alltoall, entry i is the block to rank i, or the block from rank i. */
    struct blocks input, output;
};

void schedule_clear(struct schedule *schedule);

/* For generators. schedule_add adds a step and returns its index, or -1 if memory runs out. schedule_after makes `step`
 * wait for `predecessor`. It ignores a predecessor -1, and a dependency that was added just before. False if memory
 * runs out. */
int schedule_add(struct schedule *schedule, struct step step);
bool schedule_after(struct schedule *schedule, int step, int predecessor);

/* schedule_begin removes all steps but keeps the memory. schedule_end makes the schedule ready to run, and returns
 * false if memory runs out. schedule_clear frees the memory. */
void schedule_begin(struct schedule *schedule);
bool schedule_end(struct schedule *schedule);

#endif
