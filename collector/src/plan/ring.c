/* Rings: every rank sends only to its neighbours, so each link carries every block once.
 *
 * Reduce-scatter and allgather round a ring, and the two as an allreduce: P. Patarasuk, X. Yuan, "Bandwidth Optimal
 * All-Reduce Algorithms for Clusters of Workstations", Journal of Parallel and Distributed Computing 69 (2009). A block
 * collects its operands in ring order, starting after its owner: the same every time, but not rank order. Double ring
 * barrier: J. Pjesivac-Grbovic et al., "Performance Analysis of MPI Collective Operations", Cluster Computing 10
 * (2007).
 */
#include "plan/algorithm.h"
#include "plan/team.h"

/* The place that many to the left. */
static int before(const struct team *t, int distance) {
    return (int)((((long)t->place - distance) % t->size + t->size) % t->size);
}

static int left(const struct team *t) {
    return team_rank(t, before(t, 1));
}

static int right(const struct team *t) {
    return team_rank(t, before(t, -1));
}

void team_ring_parts(struct sequence *q, const struct team *team, team_parts *parts, const void *context) {
    for (int round = 1; round < team->size; round++) {
        int going = before(team, round - 1), coming = before(team, round);
        sequence_send(q, right(team), parts(context, going, going + 1));
        sequence_receive(q, left(team), parts(context, coming, coming + 1));
        q->round++;
    }
}

static struct span block(const struct blocks *b, int slot, int rank) {
    return (struct span){slot, b->at[rank], b->length[rank], rank, 1};
}

static struct span output_block(const void *request, int first, int end) {
    (void)end; /* one at a time */
    return block(&((const struct schedule_request *)request)->output, SLOT_OUTPUT, first);
}

bool schedule_ring_allgather(struct schedule *s, const struct schedule_request *r) {
    struct sequence q;
    struct team all = {NULL, r->size, r->rank};
    sequence_open(&q, s, r, SLOT_OTHER, r->size);
    if (!r->in_place) {
        struct span own = {SLOT_INPUT, r->input.at[r->rank], r->input.length[r->rank], 0, 0};
        sequence_copy(&q, block(&r->output, SLOT_OUTPUT, r->rank), own);
    }
    team_ring_parts(&q, &all, output_block, r);
    return sequence_close(&q);
}

/* A vector that the members of a team share. */
struct sharing {
    const struct operand *o;
    int slot, size;
};

static struct span shares(const void *sharing, int first, int end) {
    const struct sharing *s = sharing;
    struct span whole = operand_in(s->o, s->slot);
    int64_t from = schedule_shares(whole.length, s->size, first), to = schedule_shares(whole.length, s->size, end);
    return (struct span){s->slot, whole.at + from, to - from, whole.cell + first, end - first};
}

static struct span share(const struct sharing *s, int place) {
    return shares(s, place, place + 1);
}

/* The result has room for every share, so the sums form there. */
void team_ring(struct operand *o, const struct team *team) {
    struct sharing mine = {o, o->slot, team->size}, sums = {o, o->result, team->size};
    bool there = o->slot == o->result;
    if (team->size == 1 && !there)
        sequence_copy(o->q, operand_in(o, o->result), operand_in(o, o->slot));
    for (int round = 1; round < team->size; round++) {
        int going = before(team, round), number = before(team, round + 1);
        struct span here = share(&sums, number);
        sequence_send(o->q, right(team), share(round == 1 ? &mine : &sums, going));
        if (there) {
            struct span coming = {o->spare, o->own_at, here.length, o->cell, 1};
            sequence_receive(o->q, left(team), coming);
            sequence_combine(o->q, coming, here);
        } else {
            sequence_receive(o->q, left(team), here);
            sequence_combine(o->q, share(&mine, number), here);
        }
        o->q->round++;
    }
    team_ring_parts(o->q, team, shares, &sums);
}

bool schedule_ring_allreduce(struct schedule *s, const struct schedule_request *r) {
    struct sequence q;
    struct team all = {NULL, r->size, r->rank};
    int coming = SLOT_OTHER;
    sequence_open(&q, s, r, coming + 1, r->size);
    s->ring_units = r->in_place ? schedule_shares(r->cut.units, r->size, 1) : 0;
    if (!r->in_place)
        s->slot_count = SLOT_OTHER;
    struct operand o = {.q = &q,
                        .length = r->cut.units,
                        .cells = r->size,
                        .slot = r->in_place ? SLOT_OUTPUT : SLOT_INPUT,
                        .result = SLOT_OUTPUT,
                        .spare = coming};
    team_ring(&o, &all);
    return sequence_close(&q);
}

static int64_t longest(const struct blocks *b, int size) {
    int64_t most = 0;
    for (int i = 0; i < size; i++)
        most = b->length[i] > most ? b->length[i] : most;
    return most;
}

/* The parts of others pass through two of our slots. */
struct span team_ring_scatter(struct sequence *q, const struct team *team, team_parts *parts, const void *context,
                              int coming, const struct span *last) {
    int first = before(team, 1);
    struct span going = parts(context, first, first + 1);
    for (int round = 1; round < team->size; round++) {
        int number = before(team, round + 1);
        struct span mine = parts(context, number, number + 1);
        struct span there = {coming + (round + 1) % 2, 0, mine.length, 0, 1};
        if (round == team->size - 1 && last)
            there = *last;
        sequence_send(q, right(team), going);
        sequence_receive(q, left(team), there);
        sequence_combine(q, mine, there);
        going = there;
        q->round++;
    }
    return going;
}

static struct span input_block(const void *request, int first, int end) {
    (void)end;
    return block(&((const struct schedule_request *)request)->input, SLOT_INPUT, first);
}

/* The output has room only for this rank's own block. */
bool schedule_ring_reduce_scatter(struct schedule *s, const struct schedule_request *r) {
    struct sequence q;
    struct team all = {NULL, r->size, r->rank};
    int coming = SLOT_OTHER;
    struct span own = {SLOT_OUTPUT, 0, r->input.length[r->rank], 0, 1};
    sequence_open(&q, s, r, coming + 2, r->size);
    s->ring_units = longest(&r->input, r->size);
    struct span result = team_ring_scatter(&q, &all, input_block, r, coming, r->in_place ? NULL : &own);
    if (r->in_place) {
        /* The result goes to the beginning of the buffer, once all blocks in it have been used. */
        sequence_wall(&q);
        sequence_copy(&q, (struct span){SLOT_OUTPUT, 0, result.length, 0, 0}, result);
    }
    return sequence_close(&q);
}

/* A token makes two rounds. When it first arrives, all ranks before have entered; the second time, all have. */
bool schedule_double_ring_barrier(struct schedule *s, const struct schedule_request *r) {
    struct sequence q;
    struct team all = {NULL, r->size, r->rank};
    int heard = -1;
    sequence_open(&q, s, r, SLOT_OTHER, 0);
    for (int lap = 0; lap < 2; lap++) {
        q.round = lap;
        if (r->rank > 0)
            heard = sequence_await(&q, left(&all));
        sequence_after(&q, sequence_signal(&q, right(&all)), heard);
        if (r->rank == 0)
            heard = sequence_await(&q, left(&all));
    }
    return sequence_close(&q);
}
