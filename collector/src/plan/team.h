/* Exchanges among a team: all ranks of a communicator, or some of them. */
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

/* The position of the parts of the members [first, end). They are contiguous. */
typedef struct span team_parts(const void *context, int first, int end);

/* An operand, or a segment of it, on its way into the team's sum. */
struct operand {
    struct sequence *q;
    int64_t position, slot_position; /* in the user's buffers, and in the slots of this rank */
    int64_t length;
    int cell, cells;   /* of every slot */
    int slot;          /* holds this rank's part of the sum so far */
    bool owned;        /* it may be overwritten */
    int result, spare; /* the slot for the sum, and the first slot that the exchange may use */
};

static inline struct span operand_in(const struct operand *o, int slot) {
    return (struct span){slot, slot <= SLOT_OUTPUT ? o->position : o->slot_position, o->length, o->cell, o->cells};
}

/* Each leaves the sum in o->result. Recursive doubling uses one spare slot. A ring uses one if its operand is in the
 * result's slot; it needs a cell for each member. */
void team_double(struct operand *o, const struct team *team);
void team_ring(struct operand *o, const struct team *team);
/* Each member ends with all parts. */
void team_double_parts(struct sequence *q, const struct team *team, team_parts *parts, const void *context);
void team_ring_parts(struct sequence *q, const struct team *team, team_parts *parts, const void *context);
/* Each member ends with the sum of its part: in `last` or, if that is NULL, in slot incoming_slot or incoming_slot +
 * 1. Returns that span. On a team of one member nothing moves, and it is the member's part. */
struct span team_ring_scatter(struct sequence *q, const struct team *team, team_parts *parts, const void *context,
                              int incoming_slot, const struct span *last);
/* Exchanges signals. No signal is sent before the step `predecessor`. Returns the step after which all signals have
 * arrived. */
int team_double_signals(struct sequence *q, const struct team *team, int predecessor);

#endif
