/* Leaders: a tree in each group of ranks, and an exchange between the groups' leaders.
 *
 * The exchange with all, of groups that are clusters: T. Kielmann et al., "MagPIe: MPI's Collective Communication
 * Operations for Clustered Wide Area Systems", PPoPP 1999. Recursive doubling between the masters of hosts: V.
 * Tipparaju, J. Nieplocha, D. Panda, "Fast Collective Operations Using Shared and Remote Memory Access Protocols on
 * Clusters", IPDPS 2003. All leaders combine the groups' sums in the order of the groups, or receive what was combined
 * once, so all ranks get the same bits. Within a group a rank's operand comes first, then its children's in turn: where
 * groups_are_in_rank_order, that is the order of ranks.
 */
#include "plan/leaders.h"

#include "plan/algorithm.h"

bool leaders_keep_order(const struct schedule_request *r) {
    struct groups g;
    groups_find(&g, r);
    groups_put_in_order(&g);
    if (!groups_are_in_rank_order(&g))
        return false;
    if (operation_has_root(r->operation)) /* the sums of groups come in turn from the root's on */
        return r->root == 0;
    return r->groups->between != BETWEEN_RING || g.count == 1; /* a ring begins at each leader */
}

struct team leaders_team(const struct groups *g) {
    return (struct team){g->leaders, g->count, g->mine};
}

void leaders_gather(struct operand *o, const struct tree_place *up, int received, int last) {
    struct sequence *q = o->q;
    q->role = ROLE_UP;
    for (int i = 0; i < up->child_count; i++)
        sequence_receive(q, up->children[i], operand_in(o, i + 1 < up->child_count ? received + i : last));
    for (int i = 0; i < up->child_count; i++) {
        int theirs = i + 1 < up->child_count ? received + i : last;
        sequence_combine(q, operand_in(o, o->slot), operand_in(o, theirs));
        o->slot = theirs;
        o->owned = true;
    }
    if (up->parent >= 0)
        sequence_send(q, up->parent, operand_in(o, o->slot));
}

/* Combines from the last group's sum on, which is in the result already, to the first's. */
static void exchange_with_all(struct operand *o, const struct team *team) {
    struct sequence *q = o->q;
    int last = team->size - 1;
    for (int i = 1; i < team->size; i++)
        sequence_send(q, team_rank(team, (team->place + i) % team->size), operand_in(o, o->slot));
    if (o->slot == o->result ? team->place != last : team->place == last) {
        int to = team->place == last ? o->result : o->spare + team->place;
        sequence_copy(q, operand_in(o, to), operand_in(o, o->slot));
        o->slot = to;
    }
    for (int i = 0; i < team->size; i++)
        if (i != team->place)
            sequence_receive(q, team_rank(team, i), operand_in(o, i == last ? o->result : o->spare + i));
    for (int i = last - 1; i >= 0; i--)
        sequence_combine(q, operand_in(o, i == team->place ? o->slot : o->spare + i), operand_in(o, o->result));
}

void leaders_combine(struct operand *o, const struct groups *g) {
    struct team team = leaders_team(g);
    o->q->role = ROLE_EXCHANGE;
    switch (g->spec.between) {
    case BETWEEN_DOUBLING:
        team_double(o, &team);
        break;
    case BETWEEN_RING:
        team_ring(o, &team);
        break;
    default:
        exchange_with_all(o, &team);
    }
}

static void pass_down(struct operand *o, const struct tree_place *down) {
    struct sequence *q = o->q;
    q->role = ROLE_DOWN;
    q->round = 0;
    if (down->parent >= 0)
        sequence_receive(q, down->parent, operand_in(o, SLOT_OUTPUT));
    for (int i = 0; i < down->child_count; i++)
        sequence_send(q, down->children[i], operand_in(o, SLOT_OUTPUT));
}

/* A segment of an operand. Every slot has `cells` cells for each place in the window. */
static struct operand segment_of(struct sequence *q, const struct schedule_request *r, int segment, int cells) {
    int place = sequence_segment(q, &r->cut, segment);
    return (struct operand){.q = q,
                            .at = segment * r->cut.segment_units,
                            .own_at = place * r->cut.segment_units,
                            .length = segmentation_units(&r->cut, segment),
                            .cell = place * cells,
                            .cells = cells,
                            .slot = r->in_place ? SLOT_OUTPUT : SLOT_INPUT,
                            .owned = r->in_place,
                            .result = SLOT_OUTPUT};
}

bool schedule_leaders_allreduce(struct schedule *s, const struct schedule_request *r) {
    struct groups g;
    struct sequence q;
    groups_find(&g, r);
    struct tree_place up = groups_inside(&g, TREE_REDUCE), down = groups_inside(&g, TREE_BROADCAST);
    bool leads = groups_leads(&g);
    int spare = SLOT_OTHER + up.child_count, cells = g.spec.between == BETWEEN_RING ? g.count : 1;
    int spares = !leads ? 0 : g.spec.between == BETWEEN_ALL ? g.count - 1 : 1;
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
    struct tree_place up = groups_across(&g, TREE_REDUCE);
    int last = SLOT_OTHER + up.child_count - 1;
    bool direct = up.parent < 0 && !r->in_place; /* the root combines in the output */
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
    struct tree_place down = groups_across(&g, TREE_BROADCAST);
    struct schedule_request along = *r;
    along.down = &down;
    return schedule_tree(s, &along);
}

static int exchange_signals(struct sequence *q, const struct groups *g, int heard) {
    struct team team = leaders_team(g);
    if (g->spec.between == BETWEEN_DOUBLING)
        return team_double_signals(q, &team, heard);
    /* With all in one round, or in a ring what was heard so far round after round. */
    bool ring = g->spec.between == BETWEEN_RING;
    int before = heard;
    for (int i = 1; i < team.size; i++) {
        int to = (team.place + (ring ? 1 : i)) % team.size,
            from = (team.place + team.size - (ring ? 1 : i)) % team.size;
        sequence_after(q, sequence_signal(q, team_rank(&team, to)), ring ? heard : before);
        int here = sequence_await(q, team_rank(&team, from));
        heard = sequence_both(q, heard, here);
        q->round += ring;
    }
    return heard;
}

bool schedule_leaders_barrier(struct schedule *s, const struct schedule_request *r) {
    struct groups g;
    struct sequence q;
    int heard = -1;
    groups_find(&g, r);
    struct tree_place up = groups_inside(&g, TREE_REDUCE), down = groups_inside(&g, TREE_BROADCAST);
    sequence_open(&q, s, r, SLOT_OTHER, 0);
    q.role = ROLE_UP;
    for (int i = 0; i < up.child_count; i++) {
        int here = sequence_await(&q, up.children[i]);
        heard = sequence_both(&q, heard, here);
    }
    if (up.parent >= 0)
        sequence_after(&q, sequence_signal(&q, up.parent), heard);
    q.role = ROLE_EXCHANGE;
    if (groups_leads(&g))
        heard = exchange_signals(&q, &g, heard);
    q.role = ROLE_DOWN;
    q.round = 0;
    if (down.parent >= 0)
        heard = sequence_await(&q, down.parent);
    for (int i = 0; i < down.child_count; i++)
        sequence_after(&q, sequence_signal(&q, down.children[i]), heard);
    return sequence_close(&q);
}
