/* Broadcast over a split binary tree: each half of the message goes down a tree of half of the ranks. Each rank then
 * exchanges its half with a partner in the other tree.
 *
 * J. Pjesivac-Grbovic et al., "Performance Analysis of MPI Collective Operations", Cluster Computing 10 (2007). Virtual
 * ranks count from the root, which is 0. The odd ranks form the left tree and the even ranks the right tree, each a
 * binary tree filled row by row below the root. Partners are neighbours: 1 and 2, 3 and 4, and so on. If the last rank
 * is odd, it has no partner and gets the other half from the root.
 */
#include "plan/algorithm.h"
#include "plan/sequence.h"

struct split_broadcast {
    struct sequence q;
    const struct schedule_request *r;
    int v; /* this rank's virtual rank */
};

static int rank_of(const struct schedule_request *r, int v) {
    return (int)(((long)v + r->root) % r->size);
}

/* number_of: the index of virtual rank v in the tree of its half. virtual_of: the inverse. */
static int number_of(int v) {
    return (v - 1) / 2;
}

static int virtual_of(int number, int half) {
    return 2 * number + 1 + half;
}

static bool is_alone(const struct schedule_request *r, int v) {
    return v % 2 == 1 && v + 1 >= r->size;
}

/* Schedules one segment, which belongs to one half of the message. */
static void schedule_segment(struct split_broadcast *x, struct span span, int half) {
    const struct schedule_request *r = x->r;
    struct sequence *q = &x->q;
    int v = x->v;
    if (v == 0) {
        q->role = ROLE_DOWN;
        if (virtual_of(0, half) < r->size)
            sequence_send(q, rank_of(r, virtual_of(0, half)), span);
        q->role = ROLE_EXCHANGE;
        int last = r->size - 1;
        if (half == 1 && last > 0 && is_alone(r, last))
            sequence_send(q, rank_of(r, last), span);
        return;
    }
    if ((v - 1) % 2 != half) { /* this half goes down the other tree, so it comes from the partner */
        q->role = ROLE_EXCHANGE;
        sequence_receive(q, rank_of(r, is_alone(r, v) ? 0 : half ? v + 1 : v - 1), span);
        return;
    }
    int number = number_of(v);
    q->role = ROLE_DOWN;
    sequence_receive(q, rank_of(r, number == 0 ? 0 : virtual_of((number - 1) / 2, half)), span);
    for (int child = 2 * number + 1; child <= 2 * number + 2; child++)
        if (virtual_of(child, half) < r->size)
            sequence_send(q, rank_of(r, virtual_of(child, half)), span);
    q->role = ROLE_EXCHANGE;
    if (!is_alone(r, v))
        sequence_send(q, rank_of(r, half ? v - 1 : v + 1), span);
}

bool schedule_split_binary(struct schedule *s, const struct schedule_request *r) {
    struct split_broadcast x = {.r = r, .v = (int)(((long)r->rank - r->root + r->size) % r->size)};
    /* If the message has fewer than two segments, it is cut in the middle. */
    struct segmentation cut = r->cut;
    if (cut.segments < 2 && cut.units > 1) {
        cut.segment_units = (cut.units + 1) / 2;
        cut.segments = cut.window = 2;
    }
    sequence_open(&x.q, s, r, SLOT_OTHER, cut.window);
    int left = (cut.segments + 1) / 2;
    for (int turn = 0; turn < cut.segments && x.q.good; turn++) {
        /* Alternates between segments of the two halves, so that both trees are busy. */
        int half = turn % 2, segment = half ? left + turn / 2 : turn / 2;
        int64_t position = segment * cut.segment_units;
        int64_t length = segmentation_units(&cut, segment);
        int window_position = sequence_segment(&x.q, &cut, turn);
        schedule_segment(&x, (struct span){SLOT_OUTPUT, position, length, window_position, 1}, half);
    }
    return sequence_close(&x.q);
}
