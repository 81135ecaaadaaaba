/* Exchanges within a team: all ranks of a communicator, or some of them. */
#ifndef HOPSCOPE_TEAM_H
#define HOPSCOPE_TEAM_H

#include "plan/sequence.h"

struct team {
    const int *ranks; /* the rank of each member; NULL: all ranks of the communicator, in order */
    int size;
    int index; /* this rank's index among the members */
};

static inline int team_rank(const struct team *team, int index) {
    return team->ranks ? team->ranks[index] : index;
}

/* Returns the location of the parts of the members [first, end), which must be contiguous. */
typedef struct span team_parts(const void *context, int first, int end);

/* The operand of a sum over a team (or one segment of it): this rank's part of the sum so far, and where the result
 * goes. */
struct operand {
    struct sequence *q;
    int64_t position, slot_position; /* its position in the user's buffers, and in the other slots */
    int64_t length;
    int cell, cells;   /* the first cell of the operand in a slot, and the number of its cells */
    int slot;          /* the slot that holds this rank's part of the sum so far */
    bool owned;        /* `slot` may be overwritten */
    int result, spare; /* the slot for the result, and the first slot that the exchange may use for messages */
};

static inline struct span operand_in(const struct operand *o, int slot) {
    return (struct span){slot, slot <= SLOT_OUTPUT ? o->position : o->slot_position, o->length, o->cell, o->cells};
}

/* Sum the members' operands, by recursive doubling or around a ring, and leave the sum in o->result. Recursive doubling
 * uses one spare slot. A ring uses one only if the operand is in the result's slot; it needs a cell for each member. */
void team_double(struct operand *o, const struct team *team);
void team_ring(struct operand *o, const struct team *team);
/* Distribute the members' parts, by recursive doubling or around a ring: every member ends with all parts. */
void team_double_parts(struct sequence *q, const struct team *team, team_parts *parts, const void *context);
void team_ring_parts(struct sequence *q, const struct team *team, team_parts *parts, const void *context);
/* Reduce-scatter around a ring: every member ends with the sum over all members of its own part. Returns the location
 * of this sum: `last` or, if that is NULL, a location in slot incoming_slot or incoming_slot + 1. In a team of one
 * member nothing moves, and the location is that of the member's part. */
struct span team_ring_scatter(struct sequence *q, const struct team *team, team_parts *parts, const void *context,
                              int incoming_slot, const struct span *last);
/* Exchanges empty messages (signals) by recursive doubling. Sends none before the step `predecessor` is done. Returns
 * the step after which all members have signalled. */
int team_double_signals(struct sequence *q, const struct team *team, int predecessor);

#endif
