/* Rings: every rank sends only to its neighbours, so each link carries every block once.
 *
 * Reduce-scatter and allgather round a ring, and the two as an allreduce: P. Patarasuk, X. Yuan, "Bandwidth Optimal
 * All-Reduce Algorithms for Clusters of Workstations", Journal of Parallel and Distributed Computing 69 (2009). A block
 * collects its operands in ring order, starting after its owner: the same every time, but not rank order. Double ring
 * barrier: J. Pjesivac-Grbovic et al., "Performance Analysis of MPI Collective Operations", Cluster Computing 10
 * (2007).
 */
#include "plan/algorithm.h"
#include "plan/sequence.h"

static int before(const struct schedule_request *r, int distance) {
    return (int)((((long)r->rank - distance) % r->size + r->size) % r->size);
}

static int left(const struct schedule_request *r) {
    return before(r, 1);
}

static int right(const struct schedule_request *r) {
    return before(r, -1);
}

static struct span block(const struct blocks *b, int slot, int rank) {
    return (struct span){slot, b->at[rank], b->length[rank], rank, 1};
}

static void pass_round(struct sequence *q, const struct schedule_request *r) {
    for (int round = 1; round < r->size; round++) {
        sequence_send(q, right(r), block(&r->output, SLOT_OUTPUT, before(r, round - 1)));
        sequence_receive(q, left(r), block(&r->output, SLOT_OUTPUT, before(r, round)));
        q->round++;
    }
}

bool schedule_ring_allgather(struct schedule *s, const struct schedule_request *r) {
    struct sequence q;
    sequence_open(&q, s, r, SLOT_OTHER, r->size);
    if (!r->in_place) {
        struct span own = {SLOT_INPUT, r->input.at[r->rank], r->input.length[r->rank], 0, 0};
        sequence_copy(&q, block(&r->output, SLOT_OUTPUT, r->rank), own);
    }
    pass_round(&q, r);
    return sequence_close(&q);
}

enum { COMING = SLOT_OTHER, GOING };

static int64_t longest(const struct blocks *b, int size) {
    int64_t most = 0;
    for (int i = 0; i < size; i++)
        most = b->length[i] > most ? b->length[i] : most;
    return most;
}

/* The output has room for every block, so the sums form there. */
bool schedule_ring_allreduce(struct schedule *s, const struct schedule_request *r) {
    struct sequence q;
    sequence_open(&q, s, r, COMING + 1, r->size);
    s->ring_units = r->in_place ? longest(&r->output, r->size) : 0;
    if (!r->in_place)
        s->slot_count = SLOT_OTHER;
    for (int round = 1; round < r->size; round++) {
        int going = before(r, round), coming = before(r, round + 1);
        struct span here = block(&r->output, SLOT_OUTPUT, coming), mine = block(&r->output, SLOT_INPUT, coming);
        sequence_send(&q, right(r), block(&r->output, round == 1 && !r->in_place ? SLOT_INPUT : SLOT_OUTPUT, going));
        if (r->in_place) {
            struct span there = {COMING, 0, here.length, 0, 1};
            sequence_receive(&q, left(r), there);
            sequence_combine(&q, there, here);
        } else {
            sequence_receive(&q, left(r), here);
            sequence_combine(&q, mine, here);
        }
        q.round++;
    }
    pass_round(&q, r);
    return sequence_close(&q);
}

/* The output has room only for this rank's own block, so the others pass through two of our slots. */
bool schedule_ring_reduce_scatter(struct schedule *s, const struct schedule_request *r) {
    struct sequence q;
    int own = r->rank;
    sequence_open(&q, s, r, GOING + 1, r->size);
    s->ring_units = longest(&r->input, r->size);
    struct span going = block(&r->input, SLOT_INPUT, left(r));
    for (int round = 1; round < r->size; round++) {
        int number = before(r, round + 1);
        struct span mine = block(&r->input, SLOT_INPUT, number);
        struct span coming = {round % 2 ? COMING : GOING, 0, mine.length, 0, 1};
        if (number == own && !r->in_place)
            coming = (struct span){SLOT_OUTPUT, 0, mine.length, 0, 1};
        sequence_send(&q, right(r), going);
        sequence_receive(&q, left(r), coming);
        sequence_combine(&q, mine, coming);
        going = coming;
        q.round++;
    }
    if (r->in_place) {
        /* The result goes to the beginning of the buffer, once all blocks in it have been used. */
        sequence_wall(&q);
        sequence_copy(&q, (struct span){SLOT_OUTPUT, 0, going.length, 0, 0}, going);
    }
    return sequence_close(&q);
}

/* A token makes two rounds. When it first arrives, all ranks before have entered; the second time, all have. */
bool schedule_double_ring_barrier(struct schedule *s, const struct schedule_request *r) {
    struct sequence q;
    int heard = -1;
    sequence_open(&q, s, r, SLOT_OTHER, 0);
    for (int lap = 0; lap < 2; lap++) {
        q.round = lap;
        if (r->rank > 0)
            heard = sequence_await(&q, left(r));
        sequence_after(&q, sequence_signal(&q, right(r)), heard);
        if (r->rank == 0)
            heard = sequence_await(&q, left(r));
    }
    return sequence_close(&q);
}
