/* Exchanges among a team: all ranks of a communicator, or some of them. */
#ifndef HOPSCOPE_TEAM_H
#define HOPSCOPE_TEAM_H

#include "plan/sequence.h"

struct team {
    const int *ranks; /* by place; NULL: the ranks of the communicator in their order */
    int size;
    int place; /* of this rank */
};

static inline int team_rank(const struct team *team, int place) {
    return team->ranks ? team->ranks[place] : place;
}

/* Where the parts of the places from first up to end are. They lie one behind the other. */
typedef struct span team_parts(const void *context, int first, int end);

/* An operand, or a segment of it, on its way to the sum of all of the team's. */
struct operand {
    struct sequence *q;
    int64_t at, own_at; /* in the user's buffers, and in our slots */
    int64_t length;
    int cell, cells;   /* of every slot */
    int slot;          /* holds this rank's part of the sum so far */
    bool owned;        /* it may be overwritten */
    int result, spare; /* where the sum goes, and the first slot that the exchange may use */
};

static inline struct span operand_in(const struct operand *o, int slot) {
    return (struct span){slot, slot <= SLOT_OUTPUT ? o->at : o->own_at, o->length, o->cell, o->cells};
}

/* Each leaves the sum in o->result. Recursive doubling uses one spare slot; so does a ring whose operand is in the
 * result's slot, and it needs a cell for each place. */
void team_double(struct operand *o, const struct team *team);
void team_ring(struct operand *o, const struct team *team);
/* Each place ends with all parts. */
void team_double_parts(struct sequence *q, const struct team *team, team_parts *parts, const void *context);
void team_ring_parts(struct sequence *q, const struct team *team, team_parts *parts, const void *context);
/* Each place ends with the sum of its part: in `last` or, if that is NULL, in one of the slots coming and coming + 1.
 * Returns where. On a team of one nothing moves: its part. */
struct span team_ring_scatter(struct sequence *q, const struct team *team, team_parts *parts, const void *context,
                              int coming, const struct span *last);
/* Signals; heard: the step before which none may be sent. Returns the step after which all have been heard. */
int team_double_signals(struct sequence *q, const struct team *team, int heard);

#endif
