/* Prefix sums: MPI_Scan and MPI_Exscan.
 *
 * Recursive doubling: W. D. Hillis, G. L. Steele, "Data Parallel Algorithms", Communications of the ACM 29 (1986), here
 * with exchanges between pairs of ranks. After round k, groups are the aligned blocks of 2^k consecutive ranks, and a
 * rank has two sums: that of its whole group, and that of the lower ranks in its group. Linear: each rank waits for the
 * previous one. Both algorithms keep operands in rank order.
 */
#include "plan/algorithm.h"
#include "plan/sequence.h"

/* Slots. One of the two holds the group's sum, and the other receives messages. */
enum { FIRST = SLOT_OTHER, SECOND, SLOTS };

struct scan {
    struct sequence *q;
    const struct schedule_request *r;
    int64_t position, ring_position, length;
    int window_position;
    int group;       /* slot of the group's sum */
    bool owned;      /* the slot of the group's sum may be overwritten */
    bool has_output; /* the output holds the sum of earlier ranks (and, in an inclusive scan, this rank's own part) */
};

static struct span part(const struct scan *s, int slot) {
    return (struct span){slot, slot <= SLOT_OUTPUT ? s->position : s->ring_position, s->length, s->window_position, 1};
}

/* The slot that can receive a message while the other one holds the group's sum. */
static int free_slot(const struct scan *s) {
    return s->group == FIRST ? SECOND : FIRST;
}

static bool is_inclusive(const struct scan *s) {
    return s->r->operation == OPERATION_SCAN;
}

/* Puts a sum of earlier ranks to the left of the output: output = sum op output. */
static void prepend(struct scan *s, int slot) {
    if (s->has_output)
        sequence_combine(s->q, part(s, slot), part(s, SLOT_OUTPUT));
    else
        sequence_copy(s->q, part(s, SLOT_OUTPUT), part(s, slot));
    s->has_output = true;
}

/* Begins the output with this rank's own part; in an exclusive scan the output begins empty. */
static void begin(struct scan *s) {
    s->has_output = is_inclusive(s);
    s->group = s->r->in_place ? SLOT_OUTPUT : SLOT_INPUT;
    if (s->r->in_place) {
        /* Copy the contribution, because it must still be sent after the output is overwritten. Rank 0 of an exclusive
         * scan can send from its buffer, which does not change. */
        if (s->r->rank == 0 && !is_inclusive(s))
            return;
        sequence_copy(s->q, part(s, FIRST), part(s, SLOT_OUTPUT));
        s->group = FIRST;
        s->owned = true;
    } else if (is_inclusive(s)) {
        sequence_copy(s->q, part(s, SLOT_OUTPUT), part(s, SLOT_INPUT));
    }
}

static void extend_group(struct scan *s, int peer_slot) {
    if (!s->owned) {
        /* The group's sum is still in the user's buffer, so of the two slots only peer_slot is in use. */
        int target_slot = peer_slot == FIRST ? SECOND : FIRST;
        sequence_copy(s->q, part(s, target_slot), part(s, s->group));
        s->group = target_slot;
        s->owned = true;
    }
    sequence_combine(s->q, part(s, peer_slot), part(s, s->group));
}

static void scan_by_doubling(struct scan *s) {
    int rank = s->r->rank, size = s->r->size;
    begin(s);
    for (int bit = 1; bit < size; bit *= 2) {
        int peer = rank ^ bit;
        /* The sum of both groups is needed only if another group comes after them. */
        bool grows = (rank | (2 * bit - 1)) + 1 < size;
        s->q->round++;
        if (peer >= size)
            continue;
        if (rank < peer) {
            sequence_send(s->q, peer, part(s, s->group));
            if (!grows)
                continue;
            int peer_slot = free_slot(s);
            sequence_receive(s->q, peer, part(s, peer_slot));
            sequence_combine(s->q, part(s, s->group), part(s, peer_slot));
            s->group = peer_slot;
            s->owned = true;
        } else {
            int peer_slot = free_slot(s);
            if (grows)
                sequence_send(s->q, peer, part(s, s->group));
            sequence_receive(s->q, peer, part(s, peer_slot));
            prepend(s, peer_slot);
            if (grows)
                extend_group(s, peer_slot);
        }
    }
}

static void scan_linearly(struct scan *s) {
    int rank = s->r->rank, size = s->r->size;
    begin(s);
    if (rank > 0) {
        int prefix_slot = free_slot(s);
        s->q->round = rank - 1;
        sequence_receive(s->q, rank - 1, part(s, prefix_slot));
        prepend(s, prefix_slot);
        if (rank + 1 < size && !is_inclusive(s))
            extend_group(s, prefix_slot);
    }
    s->q->round = rank;
    if (rank + 1 < size)
        sequence_send(s->q, rank + 1, part(s, is_inclusive(s) ? SLOT_OUTPUT : s->group));
}

static bool schedule_segments(struct schedule *schedule, const struct schedule_request *r,
                              void (*segment_of)(struct scan *)) {
    struct sequence q;
    sequence_open(&q, schedule, r, SLOTS, r->cut.window);
    schedule->ring_units = (int64_t)r->cut.window * r->cut.segment_units;
    for (int segment = 0; segment < r->cut.segments && q.good; segment++) {
        struct scan s = {.q = &q, .r = r, .position = segment * r->cut.segment_units};
        s.window_position = sequence_segment(&q, &r->cut, segment);
        s.ring_position = s.window_position * r->cut.segment_units;
        s.length = segmentation_units(&r->cut, segment);
        segment_of(&s);
    }
    return sequence_close(&q);
}

bool schedule_doubling_scan(struct schedule *schedule, const struct schedule_request *r) {
    return schedule_segments(schedule, r, scan_by_doubling);
}

bool schedule_linear_scan(struct schedule *schedule, const struct schedule_request *r) {
    return schedule_segments(schedule, r, scan_linearly);
}
