/* The algorithm `leaders`, for operations with a block for each rank.
 *
 * A message has the blocks of a subtree, of a group, or of all ranks. The blocks are kept in the order of
 * groups_put_in_order, in which each of these is contiguous. If that order is rank order, the blocks can stay in the
 * user's buffer.
 */
#include "plan/algorithm.h"
#include "plan/leaders.h"

struct leader_blocks {
    struct sequence q;
    struct groups g;
    const struct schedule_request *r;
    const struct blocks *blocks; /* the blocks of all ranks, in the user's buffer */
    int user_slot;               /* the slot of that buffer */
    int slot;                    /* the slot with all blocks in this order; may be user_slot */
};

static int64_t length_between(const struct leader_blocks *l, int first, int end) {
    int64_t length = 0;
    for (int i = first; i < end; i++)
        length += l->blocks->lengths[l->g.order[i]];
    return length;
}

/* The blocks at positions [first, end) of the order. */
static struct span ordered(const struct leader_blocks *l, int first, int end) {
    int64_t position = l->slot == l->user_slot ? l->blocks->positions[l->g.order[first]] : length_between(l, 0, first);
    return (struct span){l->slot, position, length_between(l, first, end), first, end - first};
}

static struct span group_span(const void *leader_blocks, int first, int end) {
    const struct leader_blocks *l = leader_blocks;
    return ordered(l, l->g.first[first], groups_end(&l->g, end - 1));
}

/* Copies all blocks from the user's buffer into group order, or back. Blocks that are contiguous in both orders are
 * copied together. */
static void reorder(struct leader_blocks *l, bool to_user) {
    const int *order = l->g.order;
    for (int first = 0, end; first < l->r->size && l->slot != l->user_slot; first = end) {
        for (end = first + 1; end < l->r->size && order[end] == order[end - 1] + 1;)
            end++;
        struct span ordered_span = ordered(l, first, end);
        struct span user_span = {l->user_slot, l->blocks->positions[order[first]], ordered_span.length, order[first],
                                 end - first};
        sequence_copy(&l->q, to_user ? user_span : ordered_span, to_user ? ordered_span : user_span);
    }
}

/* Initialises l. spare_slot: the slot for the blocks if the user's buffer does not have them in the order. */
static void open_blocks(struct leader_blocks *l, const struct schedule_request *r, const struct blocks *blocks,
                        int user_slot, int spare_slot) {
    l->r = r;
    l->blocks = blocks;
    l->user_slot = user_slot;
    groups_find(&l->g, r);
    groups_put_in_order(&l->g);
    l->slot = groups_are_in_rank_order(&l->g) ? user_slot : spare_slot;
}

/* The blocks of a child's subtree. They end where the next child's begin; those of the last child end at `end`. */
static struct span child_span(const struct leader_blocks *l, const struct tree_position *up, int child, int end) {
    int next = child + 1 < up->child_count ? groups_position(&l->g, up->children[child + 1]) : end;
    return ordered(l, groups_position(&l->g, up->children[child]), next);
}

static void exchange_parts(struct leader_blocks *l) {
    struct sequence *q = &l->q;
    struct team team = leaders_team(&l->g);
    q->role = ROLE_EXCHANGE;
    switch (l->g.spec.exchange) {
    case EXCHANGE_DOUBLING:
        team_double_parts(q, &team, group_span, l);
        return;
    case EXCHANGE_RING:
        team_ring_parts(q, &team, group_span, l);
        return;
    default:
        for (int i = 1; i < team.size; i++)
            sequence_send(q, team_rank(&team, (team.index + i) % team.size), group_span(l, team.index, team.index + 1));
        for (int i = 0; i < team.size; i++)
            if (i != team.index)
                sequence_receive(q, team_rank(&team, i), group_span(l, i, i + 1));
    }
}

bool schedule_leaders_allgather(struct schedule *s, const struct schedule_request *r) {
    struct leader_blocks l;
    struct sequence *q = &l.q;
    open_blocks(&l, r, &r->output, SLOT_OUTPUT, SLOT_OTHER);
    bool in_order = l.slot == SLOT_OUTPUT;
    struct tree_position up = groups_position_in_group(&l.g, TREE_REDUCE),
                         down = groups_position_in_group(&l.g, TREE_BROADCAST);
    int own_position = groups_position(&l.g, r->rank), end = own_position + groups_subtree_size(&l.g, r->rank);
    struct span input = {SLOT_INPUT, 0, r->output.lengths[r->rank], 0, 0};
    if (r->in_place)
        input = (struct span){SLOT_OUTPUT, r->output.positions[r->rank], r->output.lengths[r->rank], r->rank, 1};
    else
        input.length = r->input.lengths[r->rank];
    sequence_open(q, s, r, in_order ? SLOT_OTHER : SLOT_OTHER + 1, r->size);
    s->ring_units = in_order ? 0 : length_between(&l, 0, r->size);
    q->role = ROLE_UP;
    if (!in_order || !r->in_place)
        sequence_copy(q, ordered(&l, own_position, own_position + 1), input);
    for (int i = 0; i < up.child_count; i++)
        sequence_receive(q, up.children[i], child_span(&l, &up, i, end));
    if (up.parent >= 0)
        sequence_send(q, up.parent, ordered(&l, own_position, end));
    if (groups_leads(&l.g))
        exchange_parts(&l);
    q->role = ROLE_DOWN;
    q->round = 0;
    if (down.parent >= 0)
        sequence_receive(q, down.parent, ordered(&l, 0, r->size));
    for (int i = 0; i < down.child_count; i++)
        sequence_send(q, down.children[i], ordered(&l, 0, r->size));
    reorder(&l, true);
    return sequence_close(q);
}

/* Exchanges all with all: each leader sends to each other leader its group's sum of the blocks for that leader's group.
 * The received sums lie one after the other in one slot, and are combined in the same order as in an allreduce. Returns
 * the result. */
static struct span exchange_sums(struct leader_blocks *l, int incoming_slot) {
    struct sequence *q = &l->q;
    struct team team = leaders_team(&l->g);
    struct span own_part = group_span(l, team.index, team.index + 1);
    struct span sum = {incoming_slot, 0, own_part.length, 0, 1};
    int last = team.size - 1;
    for (int i = 1; i < team.size; i++) {
        int receiver = (team.index + i) % team.size;
        sequence_send(q, team_rank(&team, receiver), group_span(l, receiver, receiver + 1));
    }
    for (int i = last; i >= 0; i--) {
        struct span operand = {incoming_slot, i * own_part.length, own_part.length, i, 1};
        if (i != team.index)
            sequence_receive(q, team_rank(&team, i), operand);
        else if (i == last)
            sequence_copy(q, operand, own_part);
        if (i == last)
            sum = operand;
    }
    for (int i = last - 1; i >= 0; i--) {
        struct span operand = {incoming_slot, i * own_part.length, own_part.length, i, 1};
        sequence_combine(q, i == team.index ? own_part : operand, sum);
    }
    return sum;
}

/* Runs the exchange between leaders. Returns the total of the blocks for this rank's group. Uses the slots from
 * incoming_slot on. */
static struct span scatter_parts(struct leader_blocks *l, struct operand *o, int incoming_slot) {
    struct team team = leaders_team(&l->g);
    l->q.role = ROLE_EXCHANGE;
    if (l->g.spec.exchange == EXCHANGE_ALL_TO_ALL)
        return exchange_sums(l, incoming_slot);
    if (l->g.spec.exchange == EXCHANGE_RING)
        return team_ring_scatter(&l->q, &team, group_span, l, incoming_slot, NULL);
    o->result = incoming_slot;
    o->spare = incoming_slot + 1;
    team_double(o, &team);
    l->slot = o->result;
    return group_span(l, team.index, team.index + 1);
}

bool schedule_leaders_reduce_scatter(struct schedule *s, const struct schedule_request *r) {
    struct leader_blocks l;
    struct sequence *q = &l.q;
    open_blocks(&l, r, &r->input, SLOT_INPUT, SLOT_OTHER);
    struct tree_position up = groups_position_in_group(&l.g, TREE_REDUCE);
    bool leads = groups_leads(&l.g), in_order = l.slot == SLOT_INPUT;
    int own_position = groups_position(&l.g, r->rank), end = own_position + groups_subtree_size(&l.g, r->rank);
    int64_t all_units = length_between(&l, 0, r->size), own_units = r->input.lengths[r->rank];
    /* Slots, one after the other: the blocks in the order (if they are not in the user's buffer), the children's sums,
     * the data from the exchange or the parent. */
    int children = SLOT_OTHER + !in_order, incoming_slot = children + up.child_count;
    sequence_open(q, s, r, incoming_slot + (leads ? 2 : 1), r->size);
    s->ring_units = all_units;
    if (leads && r->groups->exchange == EXCHANGE_ALL_TO_ALL &&
        l.g.count * length_between(&l, own_position, end) > all_units)
        s->ring_units = l.g.count * length_between(&l, own_position, end);
    reorder(&l, false);
    struct operand o = {.q = q, .length = all_units, .cells = r->size, .slot = l.slot};
    leaders_gather(&o, &up, children, incoming_slot - 1);
    l.slot = o.slot;
    l.user_slot = SLOT_INPUT;
    struct span sums;
    if (leads) {
        sums = scatter_parts(&l, &o, incoming_slot);
    } else {
        q->role = ROLE_DOWN;
        sums = (struct span){incoming_slot, 0, length_between(&l, own_position, end), 0, 1};
        sequence_receive(q, up.parent, sums);
    }
    q->role = ROLE_DOWN;
    q->round = 0;
    for (int i = 0; i < up.child_count; i++) {
        struct span child_part = child_span(&l, &up, i, end);
        child_part.slot = sums.slot;
        child_part.position = sums.position + length_between(&l, own_position, child_part.cell);
        child_part.cell = sums.cell;
        child_part.cells = sums.cells;
        sequence_send(q, up.children[i], child_part);
    }
    if (r->in_place) /* the result overwrites the beginning of the buffer, so all blocks must have been used before */
        sequence_wall(q);
    sums.length = own_units;
    sequence_copy(q, (struct span){SLOT_OUTPUT, 0, own_units, 0, r->in_place ? 0 : 1}, sums);
    return sequence_close(q);
}
