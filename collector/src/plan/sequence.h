/* Writing a schedule as if its steps ran one after the other: what may really run at once follows from what they read
 * and write.
 *
 * A buffer is divided into cells, the same number for every slot: the blocks of the ranks, or the window's segments. A
 * step that reads a cell waits for the last one that wrote it; one that writes it waits for that and for all who have
 * read it since. Data outside of cells is nobody's concern.
 */
#ifndef HOPSCOPE_SEQUENCE_H
#define HOPSCOPE_SEQUENCE_H

#include "plan/schedule.h"

/* Some units of a slot, and the cells that they lie in. */
struct span {
    int slot;
    int64_t at, length;
    int cell, cells;
};

struct sequence {
    struct schedule *schedule;
    int64_t most_units; /* of a message: longer ones are cut, alike at both ends */
    /* Of the steps to come: */
    enum hop_phase phase;
    int round;
    int segment;
    int floor;    /* what follows waits for this step, whatever it touches; -1: for none */
    bool empties; /* messages without units go too */
    bool good;    /* false: out of memory; what follows does nothing */
    /* Its own: */
    int first;                 /* step of the segment that is being written */
    int done[SCHEDULE_WINDOW]; /* the last step of the segment that was at each place in the window */
    int most_messages;         /* bound on those under way; 0: all of them */
    int cells, ranks;
    struct cell *cell;
    int *latest; /* message to each rank, then from each rank: a link */
    struct link {
        int step, next;
    } *links;
    int link_count, link_capacity;
};

/* Begins a schedule whose generator has slots slots of so many cells. */
void sequence_open(struct sequence *q, struct schedule *schedule, const struct schedule_request *request, int slots,
                   int cells);
/* Releases what only the writing needed. False if memory did not suffice. */
bool sequence_close(struct sequence *q);

/* Of a message that is cut: the next segment begins. The place of its data in a window of segments. No more segments
 * than the window has are under way. */
int sequence_segment(struct sequence *q, const struct segmentation *cut, int segment);

/* Each returns a step to wait for; -1 if there is nothing to do, because there are no units. Copies as much as there is
 * and has room. */
int sequence_send(struct sequence *q, int peer, struct span what);
int sequence_receive(struct sequence *q, int peer, struct span where);
int sequence_copy(struct sequence *q, struct span to, struct span from);
/* inout = in op inout */
int sequence_combine(struct sequence *q, struct span in, struct span inout);
/* Empty messages. */
int sequence_signal(struct sequence *q, int peer);
int sequence_await(struct sequence *q, int peer);
void sequence_after(struct sequence *q, int step, int before);
/* All that follows waits for all before. */
void sequence_wall(struct sequence *q);
/* A step that is done when both are; either may be -1. */
int sequence_both(struct sequence *q, int one, int other);

#endif
