/* Dissemination: in round k every rank sends what it knows to the rank 2^k further on, for any number of ranks.
 *
 * Barrier: D. Hensgen, R. Finkel, U. Manber, "Two Algorithms for Barrier Synchronization", International Journal of
 * Parallel Programming 17 (1988). Allgather and alltoall: J. Bruck, C.-T. Ho, S. Kipnis, E. Upfal, D. Weathersby,
 * "Efficient Algorithms for All-to-All Communications in Multiport Message-Passing Systems", IEEE Transactions on
 * Parallel and Distributed Systems 8 (1997).
 */
#include "plan/algorithm.h"
#include "plan/sequence.h"

static int around(const struct schedule_request *r, long rank) {
    return (int)(((rank % r->size) + r->size) % r->size);
}

bool schedule_dissemination_barrier(struct schedule *s, const struct schedule_request *r) {
    struct sequence q;
    int heard = -1;
    sequence_open(&q, s, r, SLOT_OTHER, 0);
    for (long distance = 1; distance < r->size; distance *= 2) {
        int said = sequence_signal(&q, around(r, r->rank + distance));
        sequence_after(&q, said, heard);
        int here = sequence_await(&q, around(r, r->rank - distance));
        heard = sequence_both(&q, heard, here);
        q.round++;
    }
    return sequence_close(&q);
}

/* Slots. TURNED: the blocks rotated so that this rank's own comes first. SENT and RECEIVED: packed messages. */
enum { TURNED = SLOT_OTHER, SENT, RECEIVED };

/* Blocks [from, to) in the slot where rank's own comes first. */
static struct span turned(const struct schedule_request *r, int from, int to) {
    const struct blocks *b = &r->output;
    int64_t before = 0, length = 0;
    for (int i = 0; i < to; i++)
        *(i < from ? &before : &length) += b->length[around(r, (long)r->rank + i)];
    return (struct span){TURNED, before, length, from, to - from};
}

bool schedule_bruck_allgather(struct schedule *s, const struct schedule_request *r) {
    struct sequence q;
    const struct blocks *in = &r->input, *out = &r->output;
    int rank = r->rank, size = r->size;
    struct span mine = {SLOT_INPUT, in->at ? in->at[rank] : 0, out->length[rank], 0, 0};
    if (r->in_place)
        mine = (struct span){SLOT_OUTPUT, out->at[rank], out->length[rank], rank, 1};
    sequence_open(&q, s, r, TURNED + 1, size);
    s->ring_units = turned(r, 0, size).length;
    sequence_copy(&q, turned(r, 0, 1), mine);
    for (int have = 1; have < size; have *= 2) {
        int count = have < size - have ? have : size - have;
        sequence_send(&q, around(r, (long)rank - have), turned(r, 0, count));
        sequence_receive(&q, around(r, (long)rank + have), turned(r, have, have + count));
        q.round++;
    }
    /* Rotates back: the ranks from this one on, and those before it. */
    struct span upper = turned(r, 0, size - rank), lower = turned(r, size - rank, size);
    sequence_copy(&q, (struct span){SLOT_OUTPUT, out->at[rank], upper.length, rank, size - rank}, upper);
    sequence_copy(&q, (struct span){SLOT_OUTPUT, out->at[0], lower.length, 0, rank}, lower);
    return sequence_close(&q);
}

/* Blocks whose number has this bit travel together. They form runs of `bit` blocks and are copied run by run. */
static int64_t pack(struct sequence *q, const struct schedule_request *r, int bit, int slot, bool in) {
    int64_t unit = r->output.length[0], at = 0;
    for (long from = bit; from < r->size; from += 2L * bit) {
        int count = (int)(from + bit <= r->size ? bit : r->size - from);
        struct span there = {slot, at, count * unit, 0, 1},
                    here = {TURNED, from * unit, count * unit, (int)from, count};
        if (in)
            sequence_copy(q, there, here);
        else
            sequence_copy(q, here, there);
        at += count * unit;
    }
    return at;
}

static int64_t packed_length(const struct schedule_request *r, int bit) {
    int64_t units = 0;
    for (int i = 0; i < r->size; i++)
        units += i & bit ? r->output.length[0] : 0;
    return units;
}

/* All blocks have the same length. */
bool schedule_bruck_alltoall(struct schedule *s, const struct schedule_request *r) {
    struct sequence q;
    int rank = r->rank, size = r->size;
    int64_t unit = r->output.length[0], first = (int64_t)(size - rank) * unit, rest = (int64_t)rank * unit;
    sequence_open(&q, s, r, RECEIVED + 1, size);
    s->ring_units = unit * size;
    sequence_copy(&q, (struct span){TURNED, 0, first, 0, size - rank},
                  (struct span){SLOT_INPUT, r->input.at[rank], first, rank, size - rank});
    sequence_copy(&q, (struct span){TURNED, first, rest, size - rank, rank},
                  (struct span){SLOT_INPUT, r->input.at[0], rest, 0, rank});
    for (long bit = 1; bit < size; bit *= 2) {
        int64_t length = packed_length(r, (int)bit);
        pack(&q, r, (int)bit, SENT, true);
        sequence_send(&q, around(r, rank + bit), (struct span){SENT, 0, length, 0, 1});
        sequence_receive(&q, around(r, rank - bit), (struct span){RECEIVED, 0, length, 0, 1});
        pack(&q, r, (int)bit, RECEIVED, false);
        q.round++;
    }
    /* Block i came from rank - i. */
    for (int i = 0; i < size; i++) {
        int from = around(r, (long)rank - i);
        sequence_copy(&q, (struct span){SLOT_OUTPUT, r->output.at[from], unit, from, 1},
                      (struct span){TURNED, i * unit, unit, i, 1});
    }
    return sequence_close(&q);
}
