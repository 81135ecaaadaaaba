/* Prefix sums: MPI_Scan and MPI_Exscan.
 *
 * Recursive doubling: W. D. Hillis, G. L. Steele, "Data Parallel Algorithms", Communications of the ACM 29 (1986), in
 * the form for exchanges between pairs. After each round a rank knows the sum of its group, an aligned run of ranks,
 * and the sum of the ranks in it that come before. Linear: each rank waits for the one before. Both keep operands in
 * rank order.
 */
#include "plan/algorithm.h"
#include "plan/sequence.h"

/* Slots: one of two holds the group's sum, the other receives. */
enum { FIRST = SLOT_OTHER, SECOND, SLOTS };

struct scan {
    struct sequence *q;
    const struct schedule_request *r;
    int64_t at, ring_at, length;
    int window_place;
    int group;  /* slot of the group's sum */
    bool owned; /* it may be overwritten */
    bool begun; /* the output holds the sum of earlier ranks (with this rank's own in an inclusive scan) */
};

static struct span part(const struct scan *s, int slot) {
    return (struct span){slot, slot <= SLOT_OUTPUT ? s->at : s->ring_at, s->length, s->window_place, 1};
}

/* A slot that can receive while the group's sum is in use. */
static int free_slot(const struct scan *s) {
    return s->group == FIRST ? SECOND : FIRST;
}

static bool inclusive(const struct scan *s) {
    return s->r->operation == OPERATION_SCAN;
}

/* Combines earlier ranks' sum to the left of the result. */
static void put_in_front(struct scan *s, int slot) {
    if (s->begun)
        sequence_combine(s->q, part(s, slot), part(s, SLOT_OUTPUT));
    else
        sequence_copy(s->q, part(s, SLOT_OUTPUT), part(s, slot));
    s->begun = true;
}

/* The output starts as this rank's own part, or empty in an exclusive scan. */
static void begin(struct scan *s) {
    s->begun = inclusive(s);
    s->group = s->r->in_place ? SLOT_OUTPUT : SLOT_INPUT;
    if (s->r->in_place) {
        /* The contribution must still be sent after the output is overwritten. Rank 0 of an exclusive scan may send
         * from its buffer, which does not change. */
        if (s->r->rank == 0 && !inclusive(s))
            return;
        sequence_copy(s->q, part(s, FIRST), part(s, SLOT_OUTPUT));
        s->group = FIRST;
        s->owned = true;
    } else if (inclusive(s)) {
        sequence_copy(s->q, part(s, SLOT_OUTPUT), part(s, SLOT_INPUT));
    }
}

static void group_with_lower(struct scan *s, int theirs) {
    if (!s->owned) {
        /* only the slot in `theirs` is certainly in use */
        int to = theirs == FIRST ? SECOND : FIRST;
        sequence_copy(s->q, part(s, to), part(s, s->group));
        s->group = to;
        s->owned = true;
    }
    sequence_combine(s->q, part(s, theirs), part(s, s->group));
}

static void double_up(struct scan *s) {
    int rank = s->r->rank, size = s->r->size;
    begin(s);
    for (int bit = 1; bit < size; bit *= 2) {
        int peer = rank ^ bit;
        /* The two groups' sum is needed if another group follows. */
        bool grows = (rank | (2 * bit - 1)) + 1 < size;
        s->q->round++;
        if (peer >= size)
            continue;
        if (rank < peer) {
            sequence_send(s->q, peer, part(s, s->group));
            if (!grows)
                continue;
            int theirs = free_slot(s);
            sequence_receive(s->q, peer, part(s, theirs));
            sequence_combine(s->q, part(s, s->group), part(s, theirs));
            s->group = theirs;
            s->owned = true;
        } else {
            int theirs = free_slot(s);
            if (grows)
                sequence_send(s->q, peer, part(s, s->group));
            sequence_receive(s->q, peer, part(s, theirs));
            put_in_front(s, theirs);
            if (grows)
                group_with_lower(s, theirs);
        }
    }
}

static void one_after_the_other(struct scan *s) {
    int rank = s->r->rank, size = s->r->size;
    begin(s);
    if (rank > 0) {
        int before = free_slot(s);
        s->q->round = rank - 1;
        sequence_receive(s->q, rank - 1, part(s, before));
        put_in_front(s, before);
        if (rank + 1 < size && !inclusive(s))
            group_with_lower(s, before);
    }
    s->q->round = rank;
    if (rank + 1 < size)
        sequence_send(s->q, rank + 1, part(s, inclusive(s) ? SLOT_OUTPUT : s->group));
}

static bool lay(struct schedule *schedule, const struct schedule_request *r, void (*segment_of)(struct scan *)) {
    struct sequence q;
    sequence_open(&q, schedule, r, SLOTS, r->cut.window);
    schedule->ring_units = (int64_t)r->cut.window * r->cut.segment_units;
    for (int segment = 0; segment < r->cut.segments && q.good; segment++) {
        struct scan s = {.q = &q, .r = r, .at = segment * r->cut.segment_units};
        s.window_place = sequence_segment(&q, &r->cut, segment);
        s.ring_at = s.window_place * r->cut.segment_units;
        s.length = segmentation_units(&r->cut, segment);
        segment_of(&s);
    }
    return sequence_close(&q);
}

bool schedule_doubling_scan(struct schedule *schedule, const struct schedule_request *r) {
    return lay(schedule, r, double_up);
}

bool schedule_linear_scan(struct schedule *schedule, const struct schedule_request *r) {
    return lay(schedule, r, one_after_the_other);
}
