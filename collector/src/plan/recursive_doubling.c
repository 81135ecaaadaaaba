/* Recursive doubling: in each round ranks at twice the distance exchange what they have.
 *
 * R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of Collective Communication Operations in MPICH", International
 * Journal of High Performance Computing Applications 19 (2005). If the number of ranks is not a power of two, each of
 * the first `extra` even ranks gives its part to its right neighbour (the fold, ROLE_UP) and gets the result from it
 * (the unfold, ROLE_DOWN). A rank's data always comes from consecutive ranks, so operands stay in rank order. Every
 * rank combines the same operands in the same order, so all get the same bits.
 */
#include "plan/algorithm.h"
#include "plan/team.h"

/* The members that take part in the doubling, numbered from 0 in the team's order. */
struct fold {
    const struct team *team;
    int size;  /* the largest power of two up to the number of members */
    int extra; /* this many of the takers stand for two members */
    int place; /* of this rank among them; -1: it gave its part away */
    int rounds;
};

static struct fold fold_of(const struct team *team) {
    struct fold f = {.team = team, .size = 1};
    for (; f.size <= team->size / 2; f.rounds++)
        f.size *= 2;
    f.extra = team->size - f.size;
    f.place = team->place >= 2 * f.extra ? team->place - f.extra : team->place % 2 ? team->place / 2 : -1;
    return f;
}

/* The first member for which a taker stands; it is itself the last. */
static int first_at(const struct fold *f, int place) {
    return place < f->extra ? 2 * place : place + f->extra;
}

static int rank_at(const struct fold *f, int place) {
    return team_rank(f->team, first_at(f, place) + (place < f->extra));
}

static bool stands_for_two(const struct fold *f) {
    return f->place >= 0 && f->place < f->extra;
}

/* The member that gave its part to this rank, or (distance 1) took this rank's. */
static int neighbor(const struct fold *f, int distance) {
    return team_rank(f->team, f->team->place + distance);
}

/* One segment of an allreduce. */
struct gathering {
    struct operand *o;
    int moves; /* remaining rounds whose result ends up where the message was received */
};

static int other(const struct operand *o, int slot) {
    return slot == o->result ? o->spare : o->result;
}

/* Leaders of groups only exchange, also in the fold: what leads up and down are their groups' trees. */
static void begin_fold(struct sequence *q, const struct fold *f) {
    q->role = f->team->ranks ? ROLE_EXCHANGE : ROLE_UP;
}

static void begin_doubling(struct sequence *q) {
    q->role = ROLE_EXCHANGE;
}

static void begin_unfold(struct sequence *q, const struct fold *f) {
    q->role = f->team->ranks ? ROLE_EXCHANGE : ROLE_DOWN;
    q->round = f->rounds + 1;
}

/* The slot to start in so that, after the remaining moves, the sum is in the result. */
static int beginning(const struct gathering *g) {
    return g->moves % 2 == 0 ? g->o->result : g->o->spare;
}

/* theirs op ours, for a peer that comes before: combined into ours. */
static void take_lower(struct gathering *g, int peer, bool sends) {
    struct operand *o = g->o;
    if (sends)
        sequence_send(o->q, peer, operand_in(o, o->slot));
    if (!o->owned) {
        int to = beginning(g);
        sequence_copy(o->q, operand_in(o, to), operand_in(o, o->slot));
        o->slot = to;
        o->owned = true;
    }
    int theirs = other(o, o->slot);
    sequence_receive(o->q, peer, operand_in(o, theirs));
    sequence_combine(o->q, operand_in(o, theirs), operand_in(o, o->slot));
}

/* ours op theirs: combined into theirs. */
static void take_upper(struct gathering *g, int peer) {
    struct operand *o = g->o;
    g->moves--;
    int to = o->owned ? other(o, o->slot) : beginning(g);
    sequence_send(o->q, peer, operand_in(o, o->slot));
    sequence_receive(o->q, peer, operand_in(o, to));
    sequence_combine(o->q, operand_in(o, o->slot), operand_in(o, to));
    o->slot = to;
    o->owned = true;
}

void team_double(struct operand *o, const struct team *team) {
    struct fold f = fold_of(team);
    struct gathering g = {.o = o};
    struct sequence *q = o->q;
    begin_fold(q, &f);
    if (f.place < 0) {
        sequence_send(q, neighbor(&f, 1), operand_in(o, o->slot));
        begin_unfold(q, &f);
        sequence_receive(q, neighbor(&f, 1), operand_in(o, o->result));
        return;
    }
    for (int bit = 1; bit < f.size; bit *= 2)
        g.moves += !(f.place & bit);
    if (stands_for_two(&f))
        take_lower(&g, neighbor(&f, -1), false);
    begin_doubling(q);
    for (int bit = 1; bit < f.size; bit *= 2) {
        int peer = rank_at(&f, f.place ^ bit);
        q->round++;
        if (f.place & bit)
            take_lower(&g, peer, true);
        else
            take_upper(&g, peer);
    }
    if (o->slot != o->result) /* what begins in a slot that may be overwritten stays there */
        sequence_copy(q, operand_in(o, o->result), operand_in(o, o->slot));
    begin_unfold(q, &f);
    if (stands_for_two(&f))
        sequence_send(q, neighbor(&f, -1), operand_in(o, o->result));
}

bool schedule_doubling_allreduce(struct schedule *s, const struct schedule_request *r) {
    struct sequence q;
    struct team all = {NULL, r->size, r->rank};
    int operands = SLOT_OTHER;
    sequence_open(&q, s, r, operands + 1, r->cut.window);
    s->ring_units = (int64_t)r->cut.window * r->cut.segment_units;
    for (int segment = 0; segment < r->cut.segments && q.good; segment++) {
        int place = sequence_segment(&q, &r->cut, segment);
        struct operand o = {.q = &q,
                            .at = segment * r->cut.segment_units,
                            .own_at = place * r->cut.segment_units,
                            .length = segmentation_units(&r->cut, segment),
                            .cell = place,
                            .cells = 1,
                            .slot = r->in_place ? SLOT_OUTPUT : SLOT_INPUT,
                            .owned = r->in_place,
                            .result = SLOT_OUTPUT,
                            .spare = operands};
        team_double(&o, &all);
    }
    return sequence_close(&q);
}

void team_double_parts(struct sequence *q, const struct team *team, team_parts *parts, const void *context) {
    struct fold f = fold_of(team);
    struct span all = parts(context, 0, team->size);
    begin_fold(q, &f);
    if (f.place < 0) {
        sequence_send(q, neighbor(&f, 1), parts(context, team->place, team->place + 1));
        begin_unfold(q, &f);
        sequence_receive(q, neighbor(&f, 1), all);
        return;
    }
    if (stands_for_two(&f))
        sequence_receive(q, neighbor(&f, -1), parts(context, team->place - 1, team->place));
    begin_doubling(q);
    for (int bit = 1; bit < f.size; bit *= 2) {
        int peer = rank_at(&f, f.place ^ bit), mine = f.place & -bit, theirs = mine ^ bit;
        q->round++;
        sequence_send(q, peer, parts(context, first_at(&f, mine), first_at(&f, mine + bit)));
        sequence_receive(q, peer, parts(context, first_at(&f, theirs), first_at(&f, theirs + bit)));
    }
    begin_unfold(q, &f);
    if (stands_for_two(&f))
        sequence_send(q, neighbor(&f, -1), all);
}

static struct span blocks_of(const void *request, int first, int end) {
    const struct blocks *b = &((const struct schedule_request *)request)->output;
    int64_t length = b->at[end - 1] + b->length[end - 1] - b->at[first];
    return (struct span){SLOT_OUTPUT, b->at[first], length, first, end - first};
}

bool schedule_doubling_allgather(struct schedule *s, const struct schedule_request *r) {
    struct sequence q;
    struct team all = {NULL, r->size, r->rank};
    sequence_open(&q, s, r, SLOT_OTHER, r->size);
    if (!r->in_place) {
        struct span own = {SLOT_INPUT, r->input.at[r->rank], r->input.length[r->rank], 0, 0};
        sequence_copy(&q, blocks_of(r, r->rank, r->rank + 1), own);
    }
    team_double_parts(&q, &all, blocks_of, r);
    return sequence_close(&q);
}

int team_double_signals(struct sequence *q, const struct team *team, int heard) {
    struct fold f = fold_of(team);
    begin_fold(q, &f);
    if (f.place < 0) {
        sequence_after(q, sequence_signal(q, neighbor(&f, 1)), heard);
        begin_unfold(q, &f);
        return sequence_await(q, neighbor(&f, 1));
    }
    if (stands_for_two(&f)) {
        int here = sequence_await(q, neighbor(&f, -1));
        heard = sequence_both(q, heard, here);
    }
    begin_doubling(q);
    for (int bit = 1; bit < f.size; bit *= 2) {
        int peer = rank_at(&f, f.place ^ bit);
        q->round++;
        int said = sequence_signal(q, peer);
        sequence_after(q, said, heard);
        /* Joins what this round received with everything before: one step to wait for. */
        int here = sequence_await(q, peer);
        heard = sequence_both(q, heard, here);
    }
    begin_unfold(q, &f);
    if (stands_for_two(&f))
        sequence_after(q, sequence_signal(q, neighbor(&f, -1)), heard);
    return heard;
}

bool schedule_doubling_barrier(struct schedule *s, const struct schedule_request *r) {
    struct sequence q;
    struct team all = {NULL, r->size, r->rank};
    sequence_open(&q, s, r, SLOT_OTHER, 0);
    team_double_signals(&q, &all, -1);
    return sequence_close(&q);
}
