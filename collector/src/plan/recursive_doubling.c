/* Recursive doubling: in each round ranks at twice the distance exchange what they have.
 *
 * R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of Collective Communication Operations in MPICH", International
 * Journal of High Performance Computing Applications 19 (2005). If the number of ranks is not a power of two, each of
 * the first `extra` even ranks gives its part to its right neighbour and gets the result from it. A rank's data always
 * comes from consecutive ranks, so operands stay in rank order. Every rank combines the same operands in the same
 * order, so all get the same bits.
 */
#include "plan/algorithm.h"
#include "plan/sequence.h"

/* The ranks that take part in the doubling, numbered from 0 in rank order. */
struct fold {
    int size;  /* the largest power of two up to the number of ranks */
    int extra; /* this many of the takers stand for two ranks */
    int place; /* of this rank among them; -1: it gave its part away */
};

static struct fold fold_of(int rank, int size) {
    struct fold f = {.size = 1};
    while (f.size <= size / 2)
        f.size *= 2;
    f.extra = size - f.size;
    f.place = rank >= 2 * f.extra ? rank - f.extra : rank % 2 ? rank / 2 : -1;
    return f;
}

static int rank_at(const struct fold *f, int place) {
    return place < f->extra ? 2 * place + 1 : place + f->extra;
}

/* The first rank for which a taker stands. */
static int first_at(const struct fold *f, int place) {
    return place < f->extra ? 2 * place : place + f->extra;
}

static bool stands_for_two(const struct fold *f) {
    return f->place >= 0 && f->place < f->extra;
}

/* One segment of an allreduce, and where its operands are combined. */
struct gathering {
    struct sequence *q;
    const struct schedule_request *r;
    int64_t at, ring_at, length;
    int window_place;
    int slot;   /* holds this rank's part of the result so far */
    int moves;  /* remaining rounds whose result ends up where the message was received */
    bool owned; /* it may be overwritten */
};

enum { OPERANDS = SLOT_OTHER };

static struct span part(const struct gathering *g, int slot) {
    return (struct span){slot, slot <= SLOT_OUTPUT ? g->at : g->ring_at, g->length, g->window_place, 1};
}

static int other(int slot) {
    return slot == SLOT_OUTPUT ? OPERANDS : SLOT_OUTPUT;
}

/* The slot to start in so that, after the remaining moves, the result is in the output. */
static int beginning(const struct gathering *g) {
    return g->moves % 2 == 0 ? SLOT_OUTPUT : OPERANDS;
}

/* theirs op ours, for a peer of lower rank: combined into ours. */
static void take_lower(struct gathering *g, int peer, bool sends) {
    if (sends)
        sequence_send(g->q, peer, part(g, g->slot));
    if (!g->owned) {
        int to = beginning(g);
        sequence_copy(g->q, part(g, to), part(g, g->slot));
        g->slot = to;
        g->owned = true;
    }
    sequence_receive(g->q, peer, part(g, other(g->slot)));
    sequence_combine(g->q, part(g, other(g->slot)), part(g, g->slot));
}

/* ours op theirs: combined into theirs. */
static void take_upper(struct gathering *g, int peer) {
    g->moves--;
    int to = g->owned ? other(g->slot) : beginning(g);
    sequence_send(g->q, peer, part(g, g->slot));
    sequence_receive(g->q, peer, part(g, to));
    sequence_combine(g->q, part(g, g->slot), part(g, to));
    g->slot = to;
    g->owned = true;
}

static void double_up(struct gathering *g, const struct fold *f) {
    struct sequence *q = g->q;
    int rank = g->r->rank, rounds = 0;
    while (1 << rounds < f->size)
        rounds++;
    if (f->place < 0) {
        sequence_send(q, rank + 1, part(g, g->slot));
        q->round = rounds + 1;
        sequence_receive(q, rank + 1, part(g, SLOT_OUTPUT));
        return;
    }
    for (int bit = 1; bit < f->size; bit *= 2)
        g->moves += !(f->place & bit);
    if (stands_for_two(f))
        take_lower(g, rank - 1, false);
    for (int bit = 1; bit < f->size; bit *= 2) {
        int peer = rank_at(f, f->place ^ bit);
        q->round++;
        if (f->place & bit)
            take_lower(g, peer, true);
        else
            take_upper(g, peer);
    }
    if (g->slot != SLOT_OUTPUT) /* in place there is no choice of where to start */
        sequence_copy(q, part(g, SLOT_OUTPUT), part(g, g->slot));
    q->round = rounds + 1;
    if (stands_for_two(f))
        sequence_send(q, rank - 1, part(g, SLOT_OUTPUT));
}

bool schedule_doubling_allreduce(struct schedule *s, const struct schedule_request *r) {
    struct sequence q;
    struct fold f = fold_of(r->rank, r->size);
    sequence_open(&q, s, r, OPERANDS + 1, r->cut.window);
    s->ring_units = (int64_t)r->cut.window * r->cut.segment_units;
    for (int segment = 0; segment < r->cut.segments && q.good; segment++) {
        struct gathering g = {.q = &q, .r = r, .at = segment * r->cut.segment_units};
        g.window_place = sequence_segment(&q, &r->cut, segment);
        g.ring_at = g.window_place * r->cut.segment_units;
        g.length = segmentation_units(&r->cut, segment);
        g.slot = r->in_place ? SLOT_OUTPUT : SLOT_INPUT;
        g.owned = r->in_place;
        double_up(&g, &f);
    }
    return sequence_close(&q);
}

/* The blocks of all ranks for which `count` takers from place on stand. */
static struct span blocks_of(const struct schedule_request *r, const struct fold *f, int place, int count) {
    int first = first_at(f, place), end = place + count < f->size ? first_at(f, place + count) : r->size;
    const struct blocks *b = &r->output;
    int64_t length = b->at[end - 1] + b->length[end - 1] - b->at[first];
    return (struct span){SLOT_OUTPUT, b->at[first], length, first, end - first};
}

static struct span block(const struct blocks *b, int slot, int rank) {
    return (struct span){slot, b->at[rank], b->length[rank], slot == SLOT_OUTPUT ? rank : 0, slot == SLOT_OUTPUT};
}

bool schedule_doubling_allgather(struct schedule *s, const struct schedule_request *r) {
    struct sequence q;
    struct fold f = fold_of(r->rank, r->size);
    struct span all = blocks_of(r, &f, 0, f.size);
    sequence_open(&q, s, r, SLOT_OTHER, r->size);
    if (!r->in_place)
        sequence_copy(&q, block(&r->output, SLOT_OUTPUT, r->rank), block(&r->input, SLOT_INPUT, r->rank));
    if (f.place < 0) {
        sequence_send(&q, r->rank + 1, block(&r->output, SLOT_OUTPUT, r->rank));
        q.round = 1;
        for (int bit = 1; bit < f.size; bit *= 2)
            q.round++;
        sequence_receive(&q, r->rank + 1, all);
        return sequence_close(&q);
    }
    if (stands_for_two(&f))
        sequence_receive(&q, r->rank - 1, block(&r->output, SLOT_OUTPUT, r->rank - 1));
    for (int bit = 1; bit < f.size; bit *= 2) {
        int peer = rank_at(&f, f.place ^ bit), mine = f.place & -bit;
        q.round++;
        sequence_send(&q, peer, blocks_of(r, &f, mine, bit));
        sequence_receive(&q, peer, blocks_of(r, &f, mine ^ bit, bit));
    }
    q.round++;
    if (stands_for_two(&f))
        sequence_send(&q, r->rank - 1, all);
    return sequence_close(&q);
}

bool schedule_doubling_barrier(struct schedule *s, const struct schedule_request *r) {
    struct sequence q;
    struct fold f = fold_of(r->rank, r->size);
    int last = 1, heard = -1;
    for (int bit = 1; bit < f.size; bit *= 2)
        last++;
    sequence_open(&q, s, r, SLOT_OTHER, 0);
    if (f.place < 0) {
        sequence_signal(&q, r->rank + 1);
        q.round = last;
        sequence_await(&q, r->rank + 1);
        return sequence_close(&q);
    }
    if (stands_for_two(&f))
        heard = sequence_await(&q, r->rank - 1);
    for (int bit = 1; bit < f.size; bit *= 2) {
        int peer = rank_at(&f, f.place ^ bit);
        q.round++;
        int said = sequence_signal(&q, peer);
        sequence_after(&q, said, heard);
        /* Joins what this round received with everything before: one step to wait for. */
        int here = sequence_await(&q, peer);
        heard = sequence_both(&q, heard, here);
    }
    q.round = last;
    if (stands_for_two(&f))
        sequence_after(&q, sequence_signal(&q, r->rank - 1), heard);
    return sequence_close(&q);
}
