/* Rings: every rank receives from its left neighbour and sends to its right neighbour.
 *
 * Reduce-scatter and allgather around a ring, and both together as an allreduce: P. Patarasuk, X. Yuan, "Bandwidth
 * Optimal All-Reduce Algorithms for Clusters of Workstations", Journal of Parallel and Distributed Computing 69 (2009).
 * The sum for a block passes round the ring from the rank after the block's owner to the owner. So operands are
 * combined in a fixed order, but not in rank order. Double ring barrier: J. Pjesivac-Grbovic et al., "Performance
 * Analysis of MPI Collective Operations", Cluster Computing 10 (2007).
 */
#include "plan/algorithm.h"
#include "plan/team.h"

/* The index of the member at this distance to the left. */
static int left_index(const struct team *t, int distance) {
    return (int)((((long)t->index - distance) % t->size + t->size) % t->size);
}

static int left_rank(const struct team *t) {
    return team_rank(t, left_index(t, 1));
}

static int right_rank(const struct team *t) {
    return team_rank(t, left_index(t, -1));
}

void team_ring_parts(struct sequence *q, const struct team *team, team_parts *parts, const void *context) {
    for (int round = 1; round < team->size; round++) {
        int outgoing = left_index(team, round - 1), incoming = left_index(team, round);
        sequence_send(q, right_rank(team), parts(context, outgoing, outgoing + 1));
        sequence_receive(q, left_rank(team), parts(context, incoming, incoming + 1));
        q->round++;
    }
}

static struct span block(const struct blocks *b, int slot, int rank) {
    return (struct span){slot, b->positions[rank], b->lengths[rank], rank, 1};
}

static struct span output_block(const void *request, int first, int end) {
    (void)end; /* rings ask for one part at a time */
    return block(&((const struct schedule_request *)request)->output, SLOT_OUTPUT, first);
}

bool schedule_ring_allgather(struct schedule *s, const struct schedule_request *r) {
    struct sequence q;
    struct team team = {NULL, r->size, r->rank};
    sequence_open(&q, s, r, SLOT_OTHER, r->size);
    if (!r->in_place) {
        struct span own_block = {SLOT_INPUT, r->input.positions[r->rank], r->input.lengths[r->rank], 0, 0};
        sequence_copy(&q, block(&r->output, SLOT_OUTPUT, r->rank), own_block);
    }
    team_ring_parts(&q, &team, output_block, r);
    return sequence_close(&q);
}

/* A vector that is divided into one share for each member of a team. */
struct shared_vector {
    const struct operand *o;
    int slot, size;
};

static struct span shares(const void *shared_vector, int first, int end) {
    const struct shared_vector *s = shared_vector;
    struct span whole = operand_in(s->o, s->slot);
    int64_t begin_units = schedule_shares(whole.length, s->size, first),
            end_units = schedule_shares(whole.length, s->size, end);
    return (struct span){s->slot, whole.position + begin_units, end_units - begin_units, whole.cell + first,
                         end - first};
}

static struct span share(const struct shared_vector *s, int index) {
    return shares(s, index, index + 1);
}

/* The sums of all shares form in the result's slot, which has room for the whole vector. */
void team_ring(struct operand *o, const struct team *team) {
    struct shared_vector input = {o, o->slot, team->size}, sums = {o, o->result, team->size};
    bool is_in_place = o->slot == o->result;
    if (team->size == 1 && !is_in_place)
        sequence_copy(o->q, operand_in(o, o->result), operand_in(o, o->slot));
    for (int round = 1; round < team->size; round++) {
        int outgoing = left_index(team, round), incoming_index = left_index(team, round + 1);
        struct span sum = share(&sums, incoming_index);
        sequence_send(o->q, right_rank(team), share(round == 1 ? &input : &sums, outgoing));
        if (is_in_place) {
            struct span incoming = {o->spare, o->slot_position, sum.length, o->cell, 1};
            sequence_receive(o->q, left_rank(team), incoming);
            sequence_combine(o->q, incoming, sum);
        } else {
            sequence_receive(o->q, left_rank(team), sum);
            sequence_combine(o->q, share(&input, incoming_index), sum);
        }
        o->q->round++;
    }
    team_ring_parts(o->q, team, shares, &sums);
}

bool schedule_ring_allreduce(struct schedule *s, const struct schedule_request *r) {
    struct sequence q;
    struct team team = {NULL, r->size, r->rank};
    int incoming_slot = SLOT_OTHER;
    sequence_open(&q, s, r, incoming_slot + 1, r->size);
    s->ring_units = r->in_place ? schedule_shares(r->cut.units, r->size, 1) : 0;
    if (!r->in_place)
        s->slot_count = SLOT_OTHER;
    struct operand o = {.q = &q,
                        .length = r->cut.units,
                        .cells = r->size,
                        .slot = r->in_place ? SLOT_OUTPUT : SLOT_INPUT,
                        .result = SLOT_OUTPUT,
                        .spare = incoming_slot};
    team_ring(&o, &team);
    return sequence_close(&q);
}

static int64_t longest(const struct blocks *b, int size) {
    int64_t longest_units = 0;
    for (int i = 0; i < size; i++)
        longest_units = b->lengths[i] > longest_units ? b->lengths[i] : longest_units;
    return longest_units;
}

/* The sums for other members pass through two slots of this rank in turn. */
struct span team_ring_scatter(struct sequence *q, const struct team *team, team_parts *parts, const void *context,
                              int incoming_slot, const struct span *last) {
    int first = left_index(team, 1);
    struct span outgoing = parts(context, first, first + 1);
    for (int round = 1; round < team->size; round++) {
        int index = left_index(team, round + 1);
        struct span own_part = parts(context, index, index + 1);
        struct span target = {incoming_slot + (round + 1) % 2, 0, own_part.length, 0, 1};
        if (round == team->size - 1 && last)
            target = *last;
        sequence_send(q, right_rank(team), outgoing);
        sequence_receive(q, left_rank(team), target);
        sequence_combine(q, own_part, target);
        outgoing = target;
        q->round++;
    }
    return outgoing;
}

static struct span input_block(const void *request, int first, int end) {
    (void)end;
    return block(&((const struct schedule_request *)request)->input, SLOT_INPUT, first);
}

/* The sums for other ranks need memory of their own, because the output has room only for this rank's block. */
bool schedule_ring_reduce_scatter(struct schedule *s, const struct schedule_request *r) {
    struct sequence q;
    struct team team = {NULL, r->size, r->rank};
    int incoming_slot = SLOT_OTHER;
    struct span own_block = {SLOT_OUTPUT, 0, r->input.lengths[r->rank], 0, 1};
    sequence_open(&q, s, r, incoming_slot + 2, r->size);
    s->ring_units = longest(&r->input, r->size);
    struct span result = team_ring_scatter(&q, &team, input_block, r, incoming_slot, r->in_place ? NULL : &own_block);
    if (r->in_place) {
        /* With MPI_IN_PLACE the result overwrites the beginning of the buffer, so it waits until all blocks there have
         * been used. */
        sequence_wall(&q);
        sequence_copy(&q, (struct span){SLOT_OUTPUT, 0, result.length, 0, 0}, result);
    }
    return sequence_close(&q);
}

/* A token makes two laps. When it arrives for the first time, all lower ranks have entered; when it arrives for the
 * second time, all ranks have. */
bool schedule_double_ring_barrier(struct schedule *s, const struct schedule_request *r) {
    struct sequence q;
    struct team team = {NULL, r->size, r->rank};
    int arrival = -1;
    sequence_open(&q, s, r, SLOT_OTHER, 0);
    for (int lap = 0; lap < 2; lap++) {
        q.round = lap;
        if (r->rank > 0)
            arrival = sequence_await(&q, left_rank(&team));
        sequence_after(&q, sequence_signal(&q, right_rank(&team)), arrival);
        if (r->rank == 0)
            arrival = sequence_await(&q, left_rank(&team));
    }
    return sequence_close(&q);
}
