/* Exchanges within a team: all ranks of a communicator, or some of them. */
#ifndef HOPSCOPE_TEAM_H
#define HOPSCOPE_TEAM_H

#include "plan/sequence.h"

struct team {
    const int *ranks; /* by index; NULL: the ranks of the communicator in their order */
    int size;
    int index; /* of this rank */
};

static inline int team_rank(const struct team *team, int index) {
    return team->ranks ? team->ranks[index] : index;
}

/* The position of the parts of the members [first, end), which are contiguous. */
typedef struct span team_parts(const void *context, int first, int end);

/* An operand, or a segment of it, that becomes the team's sum. */
struct operand {
    struct sequence *q;
    int64_t position, slot_position; /* in the user's buffers, and in the slots of this rank */
    int64_t length;
    int cell, cells;   /* cell: that of the segment; cells: number per slot */
    int slot;          /* the slot that holds this rank's part of the sum so far */
    bool owned;        /* this slot may be overwritten */
    int result, spare; /* the slot for the sum, and the first slot that the exchange may use */
};

static inline struct span operand_in(const struct operand *o, int slot) {
    return (struct span){slot, slot <= SLOT_OUTPUT ? o->position : o->slot_position, o->length, o->cell, o->cells};
}

/* Sum up; both leave the sum in o->result. Recursive doubling uses one spare slot. A ring uses one if its operand is in
 * the result's slot; it needs a cell for each member. */
void team_double(struct operand *o, const struct team *team);
void team_ring(struct operand *o, const struct team *team);
/* Distribute parts: every member ends with all parts. */
void team_double_parts(struct sequence *q, const struct team *team, team_parts *parts, const void *context);
void team_ring_parts(struct sequence *q, const struct team *team, team_parts *parts, const void *context);
/* Sums up parts: every member ends with the sum of its own part. The sum is in `last` or, if that is NULL, in slot
 * incoming_slot or incoming_slot + 1. Returns its span. In a team of one member nothing moves, and the span is the
 * member's part. */
struct span team_ring_scatter(struct sequence *q, const struct team *team, team_parts *parts, const void *context,
                              int incoming_slot, const struct span *last);
/* Exchanges signals. No signal is sent before the step `predecessor`. Returns the step after which all signals have
 * arrived. */
int team_double_signals(struct sequence *q, const struct team *team, int predecessor);

#endif
