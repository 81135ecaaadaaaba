/* A schedule: the steps of one rank in one collective, as a dependency graph of nonblocking steps. It needs no MPI.
 *
 * Lengths and positions are in units: elements of the user's datatype for reductions, packed bytes for data movement. A
 * message may be cut into segments, which follow one another.
 *
 * A new algorithm is a new function that fills a schedule, and a row in algorithm.c; no other code needs to know it.
 * The function adds steps in an order in which they could run one by one, with the sends of a round before its
 * receives. So it can also take a rank without memory through the collective, message by message (see `on_step`).
 */
#ifndef HOPSCOPE_SCHEDULE_H
#define HOPSCOPE_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#include "plan/operation.h"
#include "plan/tree.h"
#include "schemas/otf2.h"

enum step_kind { STEP_RECEIVE, STEP_SEND, STEP_COMBINE, STEP_COPY, STEP_JOIN /* does nothing: joins several steps */ };

/* The buffers of a step. The user's buffers hold all data; every other slot has schedule.ring_units units. */
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
    int slot;    /* RECEIVE and COPY write it, SEND reads it; COMBINE: slot = operand op slot, like MPI_Reduce_local */
    int operand; /* COPY and COMBINE read it */
    int64_t position, operand_position; /* units from the beginning of the slot and of the operand */
    int64_t length;
    int unmet;   /* number of steps that must finish before this one */
    int waiting; /* for the executor: number of these that are not done; reset to unmet when the step starts */
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
    int *ready; /* steps without dependencies; receives come first, so that early messages find them posted */
    int ready_count, ready_capacity;
    int most_messages;  /* upper bound on messages under way */
    int slot_count;     /* slots in use */
    int64_t ring_units; /* units of each slot that is not the user's; 0: there is no such slot */
    bool own_ring;      /* SLOT_OWN is used */
    /* If set, the schedule keeps no steps and uses no memory. It passes each step to this function, in an order in
     * which each step can run at once. */
    void (*on_step)(void *context, const struct step *step);
    void *on_step_context;
};

/* The longest message: MPI counts in int. */
#define SCHEDULE_MOST_BYTES (INT64_C(1) << 30)

/* The number of units in the longest message. */
static inline int64_t schedule_most_units(int64_t unit_bytes) {
    return unit_bytes < SCHEDULE_MOST_BYTES ? SCHEDULE_MOST_BYTES / unit_bytes : 1;
}

/* The segments of a message. They are equal on every member. */
struct segmentation {
    int64_t units;         /* of the whole message */
    int64_t segment_units; /* of each segment except the last */
    int segments;          /* at least 1, even for an empty message */
    int window;            /* number of segments under way */
};

enum { SCHEDULE_WINDOW = 64, SCHEDULE_MOST_SEGMENTS = 4096 };
/* Cuts a message. segment_bytes 0: one segment (two or more beyond 1 GiB, because MPI counts in int). If the message
 * would have more than SCHEDULE_MOST_SEGMENTS segments, they become longer. */
struct segmentation segmentation_of(int64_t units, int64_t unit_bytes, uint64_t segment_bytes);

/* The number of units in one segment. */
static inline int64_t segmentation_units(const struct segmentation *cut, int segment) {
    return segment < cut->segments - 1 ? cut->segment_units : cut->units - segment * cut->segment_units;
}

/* The number of units in the first `count` shares of a vector that `size` ranks divide. The first ranks may have one
 * unit more. */
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
    bool in_place;      /* the contribution is in SLOT_OUTPUT (SLOT_INPUT is the same memory) */
    bool empty;         /* there is no data, as in a barrier: nothing is combined or copied */
    int64_t most_units; /* of one message */
    /* For operations in which every message holds the whole data: */
    struct segmentation cut;
    bool arrival_order; /* trees: combine operands in the order of their arrival */
    /* Trees: this rank's position; NULL for a role that does not run. Gather and scatter also need the tree itself, to
     * know the subtrees. */
    const struct tree_position *up, *down;
    const struct tree_spec *tree;
    const struct groups_spec *groups; /* leaders: how to group ranks */
    const struct tree_members *members;
    int *scratch; /* SCHEDULE_SCRATCH * size ints */
    /* Operations with a block for each rank. In Allgather, and off the root in Scatter and Gather, one of the buffers
     * holds only the rank's own block: entry `rank`. In Alltoall, entry i is the block to rank i, or the block from
     * rank i. */
    struct blocks input, output;
};

void schedule_clear(struct schedule *schedule);

/* For generators. schedule_add returns a step's index, or -1 if memory runs out. schedule_after makes `step` wait for
 * `predecessor`; it ignores -1 and an immediate repetition. False if memory runs out. */
int schedule_add(struct schedule *schedule, struct step step);
bool schedule_after(struct schedule *schedule, int step, int predecessor);

/* schedule_begin drops the steps but keeps the memory. schedule_end makes the schedule ready to run. False if memory
 * runs out. schedule_clear frees the memory. */
void schedule_begin(struct schedule *schedule);
bool schedule_end(struct schedule *schedule);

#endif
