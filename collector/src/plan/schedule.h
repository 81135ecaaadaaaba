/* A schedule: what one rank does in one collective, as a dependency graph of nonblocking steps. Pure.
 *
 * Lengths and places are counted in units: elements of the user's datatype for reductions, packed bytes for data
 * movement. The message is cut into segments, which run through the tree one behind the other. What arrives from a
 * child lies in that child's ring of `window` segments until it is combined, so memory is bounded however long the
 * message is.
 *
 * A new algorithm is a new function that fills a schedule; nothing else knows about trees.
 */
#ifndef HOPSCOPE_SCHEDULE_H
#define HOPSCOPE_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#include "plan/tree.h"

enum step_kind { STEP_RECEIVE, STEP_SEND, STEP_COMBINE, STEP_COPY, STEP_JOIN /* does nothing: several became one */ };
enum hop_phase { PHASE_UP = 0, PHASE_DOWN = 1, PHASE_EXCHANGE = 2 };

/* Where data lies. A ring holds `window` segments, the user's buffers hold all. */
enum buffer_slot {
    SLOT_INPUT,  /* this rank's contribution; only read */
    SLOT_OUTPUT, /* where the result goes */
    SLOT_OWN,    /* ring: a copy of the contribution */
    SLOT_CHILD   /* ring: SLOT_CHILD + i is what came from child i */
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
    int waiting; /* the executor's: those of them that are not done yet */
    /* Into edges, -1 for none: the steps that wait for this one, in the order in which they were made to wait. Those
     * that become ready together start in this order: the children of a broadcast as the tree orders them. */
    int first_edge, last_edge;
    uint64_t request; /* the executor's: id of its message in the records */
};

struct edge {
    int step, next;
};

struct schedule {
    struct step *steps;
    int step_count, step_capacity;
    struct edge *edges;
    int edge_count, edge_capacity;
    int most_messages;  /* bound on the messages under way at once */
    int slot_count;     /* slots in use: SLOT_CHILD + children */
    int64_t ring_units; /* units of each ring; 0: no ring is used */
    bool own_ring;      /* SLOT_OWN is used */
};

/* How to cut a message, equal on every member. */
struct segmentation {
    int64_t units;         /* of the whole message */
    int64_t segment_units; /* of each segment but the last */
    int segments;          /* at least 1, also for an empty message */
    int window;            /* segments under way at once */
};

enum { SCHEDULE_WINDOW = 64, SCHEDULE_MOST_SEGMENTS = 4096 };

/* segment_bytes 0: one segment (two or more beyond 1 GiB, which MPI's int counts need). More than
 * SCHEDULE_MOST_SEGMENTS are never made: the segments grow. */
struct segmentation segmentation_of(int64_t units, int64_t unit_bytes, uint64_t segment_bytes);

/* Units of one segment. */
static inline int64_t segmentation_units(const struct segmentation *cut, int segment) {
    return segment < cut->segments - 1 ? cut->segment_units : cut->units - segment * cut->segment_units;
}

struct schedule_request {
    struct segmentation cut;
    const struct tree_place *up, *down; /* this rank's place; NULL for a phase that is not run */
    bool in_place;                      /* the contribution lies in SLOT_OUTPUT (SLOT_INPUT is the same memory) */
    bool arrival_order;                 /* combine as messages come */
    bool empty;                         /* no data: a barrier; nothing is combined or copied */
};

/* Reduce (up only), broadcast (down only), allreduce and barrier (both). Reuses the schedule's memory.
 * False without memory. */
bool schedule_tree(struct schedule *schedule, const struct schedule_request *request);
void schedule_clear(struct schedule *schedule);

/* The parts that generators are made of: a step's index, or -1 without memory; step waits for before (ignored if -1).
 */
int schedule_add(struct schedule *schedule, struct step step);
bool schedule_after(struct schedule *schedule, int step, int before);

#endif
