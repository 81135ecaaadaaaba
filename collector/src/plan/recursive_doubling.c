/* Recursive doubling: in each round, ranks exchange all data that they have with a partner. The distance between
 * partners doubles from round to round.
 *
 * R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of Collective Communication Operations in MPICH", International
 * Journal of High Performance Computing Applications 19 (2005). If the number of ranks is not a power of two, each of
 * the first `extra` even ranks gives its part to its right neighbour (the fold, ROLE_UP) and later receives the result
 * from that neighbour (the unfold, ROLE_DOWN). A rank's data always comes from consecutive ranks, so operands stay in
 * rank order. Every rank combines the same operands in the same order, so all get identical bits.
 */
#include "plan/algorithm.h"
#include "plan/team.h"

/* The members that take part in the doubling, numbered from 0 in the team's order. */
struct fold {
    const struct team *team;
    int size;  /* the largest power of two up to the number of members */
    int extra; /* number of members that represent two members each; they come first */
    int index; /* this rank's index among them; -1: this rank gave its part away and does not take part */
    int rounds;
};

static struct fold fold_of(const struct team *team) {
    struct fold f = {.team = team, .size = 1};
    for (; f.size <= team->size / 2; f.rounds++)
        f.size *= 2;
    f.extra = team->size - f.size;
    f.index = team->index >= 2 * f.extra ? team->index - f.extra : team->index % 2 ? team->index / 2 : -1;
    return f;
}

/* The first of the members that the taker at this index represents. It represents one or two; the last of them is the
 * taker itself. */
static int first_member(const struct fold *f, int index) {
    return index < f->extra ? 2 * index : index + f->extra;
}

static int taker_rank(const struct fold *f, int index) {
    return team_rank(f->team, first_member(f, index) + (index < f->extra));
}

static bool represents_two(const struct fold *f) {
    return f->index >= 0 && f->index < f->extra;
}

/* The rank of a neighbour: distance -1: the one that gave its part to this rank; 1: the one that took this rank's
 * part. */
static int neighbor(const struct fold *f, int distance) {
    return team_rank(f->team, f->team->index + distance);
}

/* One segment of an allreduce. */
struct allreduce_segment {
    struct operand *o;
    int moves; /* number of remaining rounds in which the sum moves to the slot of the received message */
};

static int alternate_slot(const struct operand *o, int slot) {
    return slot == o->result ? o->spare : o->result;
}

/* In a team of leaders even the fold has ROLE_EXCHANGE, because ROLE_UP and ROLE_DOWN belong to the trees in the
 * groups. */
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

/* The slot in which the sum must start so that it is in the result's slot after the remaining moves. */
static int initial_slot(const struct allreduce_segment *g) {
    return g->moves % 2 == 0 ? g->o->result : g->o->spare;
}

/* Exchanges with a peer of a lower rank, and leaves `peer op own` in the slot of this rank's sum. */
static void take_lower(struct allreduce_segment *g, int peer, bool sends) {
    struct operand *o = g->o;
    if (sends)
        sequence_send(o->q, peer, operand_in(o, o->slot));
    if (!o->owned) {
        int target_slot = initial_slot(g);
        sequence_copy(o->q, operand_in(o, target_slot), operand_in(o, o->slot));
        o->slot = target_slot;
        o->owned = true;
    }
    int peer_slot = alternate_slot(o, o->slot);
    sequence_receive(o->q, peer, operand_in(o, peer_slot));
    sequence_combine(o->q, operand_in(o, peer_slot), operand_in(o, o->slot));
}

/* Exchanges with a peer of a higher rank, and leaves `own op peer` in the slot that received the peer's sum. */
static void take_upper(struct allreduce_segment *g, int peer) {
    struct operand *o = g->o;
    g->moves--;
    int target_slot = o->owned ? alternate_slot(o, o->slot) : initial_slot(g);
    sequence_send(o->q, peer, operand_in(o, o->slot));
    sequence_receive(o->q, peer, operand_in(o, target_slot));
    sequence_combine(o->q, operand_in(o, o->slot), operand_in(o, target_slot));
    o->slot = target_slot;
    o->owned = true;
}

void team_double(struct operand *o, const struct team *team) {
    struct fold f = fold_of(team);
    struct allreduce_segment g = {.o = o};
    struct sequence *q = o->q;
    begin_fold(q, &f);
    if (f.index < 0) {
        sequence_send(q, neighbor(&f, 1), operand_in(o, o->slot));
        begin_unfold(q, &f);
        sequence_receive(q, neighbor(&f, 1), operand_in(o, o->result));
        return;
    }
    for (int bit = 1; bit < f.size; bit *= 2)
        g.moves += !(f.index & bit);
    if (represents_two(&f))
        take_lower(&g, neighbor(&f, -1), false);
    begin_doubling(q);
    for (int bit = 1; bit < f.size; bit *= 2) {
        int peer = taker_rank(&f, f.index ^ bit);
        q->round++;
        if (f.index & bit)
            take_lower(&g, peer, true);
        else
            take_upper(&g, peer);
    }
    if (o->slot != o->result) /* happens if the operand began in a slot that may be overwritten */
        sequence_copy(q, operand_in(o, o->result), operand_in(o, o->slot));
    begin_unfold(q, &f);
    if (represents_two(&f))
        sequence_send(q, neighbor(&f, -1), operand_in(o, o->result));
}

bool schedule_doubling_allreduce(struct schedule *s, const struct schedule_request *r) {
    struct sequence q;
    struct team team = {NULL, r->size, r->rank};
    int spare_slot = SLOT_OTHER;
    sequence_open(&q, s, r, spare_slot + 1, r->cut.window);
    s->ring_units = (int64_t)r->cut.window * r->cut.segment_units;
    for (int segment = 0; segment < r->cut.segments && q.good; segment++) {
        int window_position = sequence_segment(&q, &r->cut, segment);
        struct operand o = {.q = &q,
                            .position = segment * r->cut.segment_units,
                            .slot_position = window_position * r->cut.segment_units,
                            .length = segmentation_units(&r->cut, segment),
                            .cell = window_position,
                            .cells = 1,
                            .slot = r->in_place ? SLOT_OUTPUT : SLOT_INPUT,
                            .owned = r->in_place,
                            .result = SLOT_OUTPUT,
                            .spare = spare_slot};
        team_double(&o, &team);
    }
    return sequence_close(&q);
}

void team_double_parts(struct sequence *q, const struct team *team, team_parts *parts, const void *context) {
    struct fold f = fold_of(team);
    struct span whole = parts(context, 0, team->size);
    begin_fold(q, &f);
    if (f.index < 0) {
        sequence_send(q, neighbor(&f, 1), parts(context, team->index, team->index + 1));
        begin_unfold(q, &f);
        sequence_receive(q, neighbor(&f, 1), whole);
        return;
    }
    if (represents_two(&f))
        sequence_receive(q, neighbor(&f, -1), parts(context, team->index - 1, team->index));
    begin_doubling(q);
    for (int bit = 1; bit < f.size; bit *= 2) {
        int peer = taker_rank(&f, f.index ^ bit), own_first = f.index & -bit, peer_first = own_first ^ bit;
        q->round++;
        sequence_send(q, peer, parts(context, first_member(&f, own_first), first_member(&f, own_first + bit)));
        sequence_receive(q, peer, parts(context, first_member(&f, peer_first), first_member(&f, peer_first + bit)));
    }
    begin_unfold(q, &f);
    if (represents_two(&f))
        sequence_send(q, neighbor(&f, -1), whole);
}

static struct span blocks_of(const void *request, int first, int end) {
    const struct blocks *b = &((const struct schedule_request *)request)->output;
    int64_t length = b->positions[end - 1] + b->lengths[end - 1] - b->positions[first];
    return (struct span){SLOT_OUTPUT, b->positions[first], length, first, end - first};
}

bool schedule_doubling_allgather(struct schedule *s, const struct schedule_request *r) {
    struct sequence q;
    struct team team = {NULL, r->size, r->rank};
    sequence_open(&q, s, r, SLOT_OTHER, r->size);
    if (!r->in_place) {
        struct span own_block = {SLOT_INPUT, r->input.positions[r->rank], r->input.lengths[r->rank], 0, 0};
        sequence_copy(&q, blocks_of(r, r->rank, r->rank + 1), own_block);
    }
    team_double_parts(&q, &team, blocks_of, r);
    return sequence_close(&q);
}

int team_double_signals(struct sequence *q, const struct team *team, int arrivals) {
    struct fold f = fold_of(team);
    begin_fold(q, &f);
    if (f.index < 0) {
        sequence_after(q, sequence_signal(q, neighbor(&f, 1)), arrivals);
        begin_unfold(q, &f);
        return sequence_await(q, neighbor(&f, 1));
    }
    if (represents_two(&f)) {
        int arrival = sequence_await(q, neighbor(&f, -1));
        arrivals = sequence_join(q, arrivals, arrival);
    }
    begin_doubling(q);
    for (int bit = 1; bit < f.size; bit *= 2) {
        int peer = taker_rank(&f, f.index ^ bit);
        q->round++;
        int signal = sequence_signal(q, peer);
        sequence_after(q, signal, arrivals);
        /* Joins this round's signal with the earlier ones, so that later steps need to wait for only one step. */
        int arrival = sequence_await(q, peer);
        arrivals = sequence_join(q, arrivals, arrival);
    }
    begin_unfold(q, &f);
    if (represents_two(&f))
        sequence_after(q, sequence_signal(q, neighbor(&f, -1)), arrivals);
    return arrivals;
}

bool schedule_doubling_barrier(struct schedule *s, const struct schedule_request *r) {
    struct sequence q;
    struct team team = {NULL, r->size, r->rank};
    sequence_open(&q, s, r, SLOT_OTHER, 0);
    team_double_signals(&q, &team, -1);
    return sequence_close(&q);
}
