/* A schedule: what one rank does in one collective, as a dependency graph of nonblocking steps. Pure.
 *
 * Lengths and places are counted in units: elements of the user's datatype for reductions, packed bytes for data
 * movement. A message may be cut into segments, which run one behind the other.
 *
 * A new algorithm is a new function that fills a schedule, and a row in algorithm.c; nothing else knows about it. It is
 * written in the order in which its steps could run one by one, sends before the receives of the same round: so it can
 * also take a rank without memory through the collective, message by message (see `instead`).
 */
#ifndef HOPSCOPE_SCHEDULE_H
#define HOPSCOPE_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#include "plan/operation.h"
#include "plan/tree.h"

enum step_kind { STEP_RECEIVE, STEP_SEND, STEP_COMBINE, STEP_COPY, STEP_JOIN /* does nothing: several became one */ };
enum hop_phase { PHASE_UP = 0, PHASE_DOWN = 1, PHASE_EXCHANGE = 2 };

/* Where data lies. The user's buffers hold all of it; every other slot has schedule.ring_units units. */
enum buffer_slot {
    SLOT_INPUT,             /* this rank's contribution; only read */
    SLOT_OUTPUT,            /* where the result goes */
    SLOT_OWN,               /* of trees: a copy of the contribution */
    SLOT_OTHER,             /* the first of the slots that a generator gives a meaning to: slot_count says how many */
    SLOT_CHILD = SLOT_OTHER /* of trees: SLOT_CHILD + i is what came from child i */
};

struct step {
    uint8_t kind, phase;
    uint16_t round;
    int peer; /* RECEIVE and SEND: rank of the communicator */
    uint32_t segment;
    int slot;    /* RECEIVE, COPY: written; SEND: read; COMBINE: slot = operand op slot, as MPI_Reduce_local has it */
    int operand; /* COPY, COMBINE: read */
    int64_t at, operand_at; /* units from the beginning of slot and of operand */
    int64_t length;
    int unmet;   /* steps that have to be done before */
    int waiting; /* the executor's: those of them that are not done yet; set back to unmet when the step is started */
    /* Into edges, -1 for none: the steps that wait for this one, in the order in which they were made to wait. Those
     * that become ready together start in this order: the children of a broadcast as the tree orders them. */
    int first_edge, last_edge;
    uint64_t request; /* the executor's: id of its message in the records */
};

struct edge {
    int step, next;
};

/* May run any number of times once it is made. */
struct schedule {
    struct step *steps;
    int step_count, step_capacity;
    struct edge *edges;
    int edge_count, edge_capacity;
    int *ready; /* the steps that wait for none; the receives come first: whoever is early finds them posted */
    int ready_count, ready_capacity;
    int most_messages;  /* bound on the messages under way at once */
    int slot_count;     /* slots in use */
    int64_t ring_units; /* units of each slot that is not the user's; 0: none is used */
    bool own_ring;      /* SLOT_OWN is used */
    /* If set, nothing is kept, and no memory used: each step goes here, in an order in which they can be done at once.
     */
    void (*instead)(void *context, const struct step *step);
    void *instead_context;
};

/* How to cut a message, equal on every member. */
struct segmentation {
    int64_t units;         /* of the whole message */
    int64_t segment_units; /* of each segment but the last */
    int segments;          /* at least 1, also for an empty message */
    int window;            /* segments under way at once */
};

enum { SCHEDULE_WINDOW = 64, SCHEDULE_MOST_SEGMENTS = 4096 };
/* The longest message: MPI counts in int. */
#define SCHEDULE_MOST_BYTES (INT64_C(1) << 30)

/* segment_bytes 0: one segment (two or more beyond 1 GiB, which MPI's int counts need). More than
 * SCHEDULE_MOST_SEGMENTS are never made: the segments grow. */
struct segmentation segmentation_of(int64_t units, int64_t unit_bytes, uint64_t segment_bytes);

/* Units of one segment. */
static inline int64_t segmentation_units(const struct segmentation *cut, int segment) {
    return segment < cut->segments - 1 ? cut->segment_units : cut->units - segment * cut->segment_units;
}

/* Where each rank's part of a buffer lies, in units. Rank i's is at[i] and length[i]. NULL: not known here, or not
 * used. */
struct blocks {
    const int64_t *at, *length;
};

struct schedule_request {
    enum operation operation;
    int rank, size, root;
    bool in_place;      /* the contribution lies in SLOT_OUTPUT (SLOT_INPUT is the same memory) */
    bool empty;         /* no data: a barrier; nothing is combined or copied */
    int64_t most_units; /* of one message */
    /* Messages that all hold the whole: */
    struct segmentation cut;
    bool arrival_order; /* trees: combine as messages come */
    /* Trees: this rank's place; NULL for a phase that is not run. To gather and scatter one also has to know what lies
     * below: the tree itself, and 8 * size ints to work with. */
    const struct tree_place *up, *down;
    const struct tree_spec *tree;
    const struct tree_members *members;
    int *scratch;
    /* Operations with a part for each rank. Of Allgather, Scatter off the root, and Gather off the root the rank's own
     * block is all there is in one of them: entry `rank`. Of Alltoall: what goes to i and what comes from i. */
    struct blocks input, output;
};

void schedule_clear(struct schedule *schedule);

/* The parts that generators are made of: a step's index, or -1 without memory; step waits for before (ignored if -1;
 * telling it twice in a row counts once). */
int schedule_add(struct schedule *schedule, struct step step);
bool schedule_after(struct schedule *schedule, int step, int before);

/* Forgets the steps but keeps the memory; and makes what is there ready to run. False without memory. */
void schedule_begin(struct schedule *schedule);
bool schedule_end(struct schedule *schedule);

#endif
