/* Leaders: a tree in each group of ranks, and an exchange between the groups' leaders.
 *
 * Sources. For the exchange of all with all between the leaders of clusters: T. Kielmann et al., "MagPIe: MPI's
 * Collective Communication Operations for Clustered Wide Area Systems", PPoPP 1999. For recursive doubling between the
 * leaders of hosts: V. Tipparaju, J. Nieplocha, D. Panda, "Fast Collective Operations Using Shared and Remote Memory
 * Access Protocols on Clusters", IPDPS 2003.
 *
 * All ranks get identical bits, because every leader combines the groups' sums in the order of the groups, or receives
 * a sum that one leader combined. Within a group, a rank combines its own operand with the sums of its children, in
 * their order. If groups_are_in_rank_order is true, operands are thus combined in rank order.
 */
#include "plan/leaders.h"

#include "plan/algorithm.h"

bool leaders_keep_order(const struct schedule_request *r) {
    struct groups g;
    groups_find(&g, r);
    groups_put_in_order(&g);
    if (!groups_are_in_rank_order(&g))
        return false;
    if (operation_has_root(r->operation)) /* the root combines the groups' sums in cyclic order, from its own on */
        return r->root == 0;
    return r->groups->exchange != EXCHANGE_RING || g.count == 1; /* each part's sum begins at another leader */
}

struct team leaders_team(const struct groups *g) {
    return (struct team){g->leaders, g->count, g->own_group};
}

void leaders_gather(struct operand *o, const struct tree_position *up, int first_slot, int last_slot) {
    struct sequence *q = o->q;
    q->role = ROLE_UP;
    for (int i = 0; i < up->child_count; i++)
        sequence_receive(q, up->children[i], operand_in(o, i + 1 < up->child_count ? first_slot + i : last_slot));
    for (int i = 0; i < up->child_count; i++) {
        int child_slot = i + 1 < up->child_count ? first_slot + i : last_slot;
        sequence_combine(q, operand_in(o, o->slot), operand_in(o, child_slot));
        o->slot = child_slot;
        o->owned = true;
    }
    if (up->parent >= 0)
        sequence_send(q, up->parent, operand_in(o, o->slot));
}

/* Each leader sends its group's sum to all others. The last group's sum arrives in the result's slot. The others are
 * combined with it in descending order, so that the groups' order is kept. */
static void exchange_with_all(struct operand *o, const struct team *team) {
    struct sequence *q = o->q;
    int last = team->size - 1;
    for (int i = 1; i < team->size; i++)
        sequence_send(q, team_rank(team, (team->index + i) % team->size), operand_in(o, o->slot));
    if (o->slot == o->result ? team->index != last : team->index == last) {
        int target_slot = team->index == last ? o->result : o->spare + team->index;
        sequence_copy(q, operand_in(o, target_slot), operand_in(o, o->slot));
        o->slot = target_slot;
    }
    for (int i = 0; i < team->size; i++)
        if (i != team->index)
            sequence_receive(q, team_rank(team, i), operand_in(o, i == last ? o->result : o->spare + i));
    for (int i = last - 1; i >= 0; i--)
        sequence_combine(q, operand_in(o, i == team->index ? o->slot : o->spare + i), operand_in(o, o->result));
}

void leaders_combine(struct operand *o, const struct groups *g) {
    struct team team = leaders_team(g);
    o->q->role = ROLE_EXCHANGE;
    switch (g->spec.exchange) {
    case EXCHANGE_DOUBLING:
        team_double(o, &team);
        break;
    case EXCHANGE_RING:
        team_ring(o, &team);
        break;
    default:
        exchange_with_all(o, &team);
    }
}

static void pass_down(struct operand *o, const struct tree_position *down) {
    struct sequence *q = o->q;
    q->role = ROLE_DOWN;
    q->round = 0;
    if (down->parent >= 0)
        sequence_receive(q, down->parent, operand_in(o, SLOT_OUTPUT));
    for (int i = 0; i < down->child_count; i++)
        sequence_send(q, down->children[i], operand_in(o, SLOT_OUTPUT));
}

/* The operand's part in one segment. Every slot has `cells` cells for each position in the window. */
static struct operand segment_of(struct sequence *q, const struct schedule_request *r, int segment, int cells) {
    int window_position = sequence_segment(q, &r->cut, segment);
    return (struct operand){.q = q,
                            .position = segment * r->cut.segment_units,
                            .slot_position = window_position * r->cut.segment_units,
                            .length = segmentation_units(&r->cut, segment),
                            .cell = window_position * cells,
                            .cells = cells,
                            .slot = r->in_place ? SLOT_OUTPUT : SLOT_INPUT,
                            .owned = r->in_place,
                            .result = SLOT_OUTPUT};
}

bool schedule_leaders_allreduce(struct schedule *s, const struct schedule_request *r) {
    struct groups g;
    struct sequence q;
    groups_find(&g, r);
    struct tree_position up = groups_position_in_group(&g, TREE_REDUCE),
                         down = groups_position_in_group(&g, TREE_BROADCAST);
    bool leads = groups_leads(&g);
    int spare = SLOT_OTHER + up.child_count, cells = g.spec.exchange == EXCHANGE_RING ? g.count : 1;
    int spares = !leads ? 0 : g.spec.exchange == EXCHANGE_ALL_TO_ALL ? g.count - 1 : 1;
    sequence_open(&q, s, r, spare + spares, r->cut.window * cells);
    s->ring_units = (int64_t)r->cut.window * r->cut.segment_units;
    for (int segment = 0; segment < r->cut.segments && q.good; segment++) {
        struct operand o = segment_of(&q, r, segment, cells);
        o.spare = spare;
        leaders_gather(&o, &up, SLOT_OTHER, spare - 1);
        if (leads)
            leaders_combine(&o, &g);
        pass_down(&o, &down);
    }
    return sequence_close(&q);
}

bool schedule_leaders_reduce(struct schedule *s, const struct schedule_request *r) {
    struct groups g;
    struct sequence q;
    groups_find(&g, r);
    struct tree_position up = groups_position_across(&g, TREE_REDUCE);
    int last = SLOT_OTHER + up.child_count - 1;
    bool direct = up.parent < 0 && !r->in_place; /* the root can form the sum in its output */
    sequence_open(&q, s, r, direct ? last : last + 1, r->cut.window);
    s->ring_units = (int64_t)r->cut.window * r->cut.segment_units;
    for (int segment = 0; segment < r->cut.segments && q.good; segment++) {
        struct operand o = segment_of(&q, r, segment, 1);
        leaders_gather(&o, &up, SLOT_OTHER, direct ? SLOT_OUTPUT : last);
        if (up.parent < 0 && !direct)
            sequence_copy(&q, operand_in(&o, SLOT_OUTPUT), operand_in(&o, o.slot));
    }
    return sequence_close(&q);
}

bool schedule_leaders_bcast(struct schedule *s, const struct schedule_request *r) {
    struct groups g;
    groups_find(&g, r);
    struct tree_position down = groups_position_across(&g, TREE_BROADCAST);
    struct schedule_request tree_request = *r;
    tree_request.down = &down;
    return schedule_tree(s, &tree_request);
}

static int exchange_signals(struct sequence *q, const struct groups *g, int arrivals) {
    struct team team = leaders_team(g);
    if (g->spec.exchange == EXCHANGE_DOUBLING)
        return team_double_signals(q, &team, arrivals);
    /* EXCHANGE_ALL_TO_ALL takes one round. In a ring, each round passes on all signals that have arrived so far. */
    bool is_ring = g->spec.exchange == EXCHANGE_RING;
    int entry = arrivals;
    for (int i = 1; i < team.size; i++) {
        int receiver = (team.index + (is_ring ? 1 : i)) % team.size,
            sender = (team.index + team.size - (is_ring ? 1 : i)) % team.size;
        sequence_after(q, sequence_signal(q, team_rank(&team, receiver)), is_ring ? arrivals : entry);
        int arrival = sequence_await(q, team_rank(&team, sender));
        arrivals = sequence_join(q, arrivals, arrival);
        q->round += is_ring;
    }
    return arrivals;
}

bool schedule_leaders_barrier(struct schedule *s, const struct schedule_request *r) {
    struct groups g;
    struct sequence q;
    int arrivals = -1;
    groups_find(&g, r);
    struct tree_position up = groups_position_in_group(&g, TREE_REDUCE),
                         down = groups_position_in_group(&g, TREE_BROADCAST);
    sequence_open(&q, s, r, SLOT_OTHER, 0);
    q.role = ROLE_UP;
    for (int i = 0; i < up.child_count; i++) {
        int arrival = sequence_await(&q, up.children[i]);
        arrivals = sequence_join(&q, arrivals, arrival);
    }
    if (up.parent >= 0)
        sequence_after(&q, sequence_signal(&q, up.parent), arrivals);
    q.role = ROLE_EXCHANGE;
    if (groups_leads(&g))
        arrivals = exchange_signals(&q, &g, arrivals);
    q.role = ROLE_DOWN;
    q.round = 0;
    if (down.parent >= 0)
        arrivals = sequence_await(&q, down.parent);
    for (int i = 0; i < down.child_count; i++)
        sequence_after(&q, sequence_signal(&q, down.children[i]), arrivals);
    return sequence_close(&q);
}
