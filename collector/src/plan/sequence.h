/* Lets a generator write a schedule as if its steps ran one after another, and derives the dependencies from the data
 * that the steps read and write.
 *
 * Every slot is divided into the same number of cells: one for each rank's block, or one for each segment of the
 * window. A step that reads a cell waits for the last step that wrote to the cell. A step that writes to a cell waits
 * for that step, too, and for all steps that have read the cell since. Data outside of cells causes no dependencies.
 */
#ifndef HOPSCOPE_SEQUENCE_H
#define HOPSCOPE_SEQUENCE_H

#include "plan/schedule.h"

/* Some units of a slot, and the cells that contain them. */
struct span {
    int slot;
    int64_t position, length;
    int cell, cells;
};

struct sequence {
    struct schedule *schedule;
    int64_t most_units; /* longest message; longer ones are cut, in the same way at both ends */
    /* These apply to the steps that are added next: */
    enum hop_role role;
    int round;
    int segment;
    int floor;        /* every later step waits for this one; -1: none */
    bool sends_empty; /* messages without units are also sent */
    bool good;        /* false: out of memory; further calls do nothing */
    /* For internal use: */
    int first;                 /* first step of the current segment */
    int done[SCHEDULE_WINDOW]; /* the last step of the previous segment at each position in the window */
    int most_messages;         /* upper bound on messages under way; 0: all messages */
    int cells, ranks;
    struct cell *cell;
    int *latest; /* first links of the lists of messages: to each rank, then from each rank */
    struct link {
        int step, next;
    } *links;
    int link_count, link_capacity;
};

/* Begins a schedule whose generator uses `slots` slots of `cells` cells each. Always call sequence_close afterwards. */
void sequence_open(struct sequence *q, struct schedule *schedule, const struct schedule_request *request, int slots,
                   int cells);
/* Frees the memory of the sequence, but not the schedule. False if memory ran out. */
bool sequence_close(struct sequence *q);

/* Begins the next segment of a message that is cut. Returns the position of its data in the window of segments. At most
 * one window of segments is under way. */
int sequence_segment(struct sequence *q, const struct segmentation *cut, int segment);

/* Each of these adds a step and returns its index, for which other steps can wait; -1 if there are no units, so that
 * nothing is to be done. A copy has the shorter of the two lengths. */
int sequence_send(struct sequence *q, int peer, struct span span);
int sequence_receive(struct sequence *q, int peer, struct span span);
int sequence_copy(struct sequence *q, struct span target, struct span source);
/* Combines: accumulator = operand op accumulator */
int sequence_combine(struct sequence *q, struct span operand, struct span accumulator);
/* Sends an empty message, or waits for one. */
int sequence_signal(struct sequence *q, int peer);
int sequence_await(struct sequence *q, int peer);
void sequence_after(struct sequence *q, int step, int predecessor);
/* Makes all later steps wait for all earlier ones. */
void sequence_wall(struct sequence *q);
/* Returns a step that waits for both; either may be -1. */
int sequence_join(struct sequence *q, int first, int second);

#endif
