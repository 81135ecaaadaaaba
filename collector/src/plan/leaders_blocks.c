/* Leaders, for operations with a block for each rank.
 *
 * Blocks are kept in the order of groups_put_in_order, so that every message is one piece: the blocks of a subtree, of
 * a group, or of all. Where that is the order of ranks, the user's buffer holds them so already.
 */
#include "plan/algorithm.h"
#include "plan/leaders.h"

struct leading {
    struct sequence q;
    struct groups g;
    const struct schedule_request *r;
    const struct blocks *blocks; /* of all ranks, in the user's buffer */
    int users;                   /* the slot of that buffer */
    int slot;                    /* of all blocks in order; the user's if they are */
};

static int64_t length_between(const struct leading *l, int first, int end) {
    int64_t length = 0;
    for (int i = first; i < end; i++)
        length += l->blocks->length[l->g.order[i]];
    return length;
}

/* The blocks at the positions from first up to end. */
static struct span ordered(const struct leading *l, int first, int end) {
    int64_t at = l->slot == l->users ? l->blocks->at[l->g.order[first]] : length_between(l, 0, first);
    return (struct span){l->slot, at, length_between(l, first, end), first, end - first};
}

static struct span of_groups(const void *leading, int first, int end) {
    const struct leading *l = leading;
    return ordered(l, l->g.first[first], groups_end(&l->g, end - 1));
}

/* Copies all blocks from the user's buffer into our order, or back. Blocks that lie so in both go together. */
static void reorder(struct leading *l, bool back) {
    const int *order = l->g.order;
    for (int first = 0, end; first < l->r->size && l->slot != l->users; first = end) {
        for (end = first + 1; end < l->r->size && order[end] == order[end - 1] + 1;)
            end++;
        struct span here = ordered(l, first, end);
        struct span theirs = {l->users, l->blocks->at[order[first]], here.length, order[first], end - first};
        sequence_copy(&l->q, back ? theirs : here, back ? here : theirs);
    }
}

/* own_slot: where the blocks go if the user's buffer does not hold them in order. */
static void begin(struct leading *l, const struct schedule_request *r, const struct blocks *blocks, int users,
                  int own_slot) {
    l->r = r;
    l->blocks = blocks;
    l->users = users;
    groups_find(&l->g, r);
    groups_put_in_order(&l->g);
    l->slot = groups_are_in_rank_order(&l->g) ? users : own_slot;
}

/* The positions of a child's subtree: [first, end). It ends where the next one begins. */
static struct span below_child(const struct leading *l, const struct tree_place *up, int child, int end) {
    int next = child + 1 < up->child_count ? groups_position(&l->g, up->children[child + 1]) : end;
    return ordered(l, groups_position(&l->g, up->children[child]), next);
}

static void exchange_parts(struct leading *l) {
    struct sequence *q = &l->q;
    struct team team = leaders_team(&l->g);
    q->role = ROLE_EXCHANGE;
    switch (l->g.spec.between) {
    case BETWEEN_DOUBLING:
        team_double_parts(q, &team, of_groups, l);
        return;
    case BETWEEN_RING:
        team_ring_parts(q, &team, of_groups, l);
        return;
    default:
        for (int i = 1; i < team.size; i++)
            sequence_send(q, team_rank(&team, (team.place + i) % team.size), of_groups(l, team.place, team.place + 1));
        for (int i = 0; i < team.size; i++)
            if (i != team.place)
                sequence_receive(q, team_rank(&team, i), of_groups(l, i, i + 1));
    }
}

bool schedule_leaders_allgather(struct schedule *s, const struct schedule_request *r) {
    struct leading l;
    struct sequence *q = &l.q;
    begin(&l, r, &r->output, SLOT_OUTPUT, SLOT_OTHER);
    bool in_order = l.slot == SLOT_OUTPUT;
    struct tree_place up = groups_inside(&l.g, TREE_REDUCE), down = groups_inside(&l.g, TREE_BROADCAST);
    int own = groups_position(&l.g, r->rank), end = own + groups_below(&l.g, r->rank);
    struct span input = {SLOT_INPUT, 0, r->output.length[r->rank], 0, 0};
    if (r->in_place)
        input = (struct span){SLOT_OUTPUT, r->output.at[r->rank], r->output.length[r->rank], r->rank, 1};
    else
        input.length = r->input.length[r->rank];
    sequence_open(q, s, r, in_order ? SLOT_OTHER : SLOT_OTHER + 1, r->size);
    s->ring_units = in_order ? 0 : length_between(&l, 0, r->size);
    q->role = ROLE_UP;
    if (!in_order || !r->in_place)
        sequence_copy(q, ordered(&l, own, own + 1), input);
    for (int i = 0; i < up.child_count; i++)
        sequence_receive(q, up.children[i], below_child(&l, &up, i, end));
    if (up.parent >= 0)
        sequence_send(q, up.parent, ordered(&l, own, end));
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

/* The sums of each group's part arrive in one slot, one behind the other, and are combined as in an allreduce. */
static struct span scatter_to_all(struct leading *l, int arriving) {
    struct sequence *q = &l->q;
    struct team team = leaders_team(&l->g);
    struct span mine = of_groups(l, team.place, team.place + 1);
    struct span sum = {arriving, 0, mine.length, 0, 1};
    int last = team.size - 1;
    for (int i = 1; i < team.size; i++) {
        int other = (team.place + i) % team.size;
        sequence_send(q, team_rank(&team, other), of_groups(l, other, other + 1));
    }
    for (int i = last; i >= 0; i--) {
        struct span from = {arriving, i * mine.length, mine.length, i, 1};
        if (i != team.place)
            sequence_receive(q, team_rank(&team, i), from);
        else if (i == last)
            sequence_copy(q, from, mine);
        if (i == last)
            sum = from;
    }
    for (int i = last - 1; i >= 0; i--) {
        struct span from = {arriving, i * mine.length, mine.length, i, 1};
        sequence_combine(q, i == team.place ? mine : from, sum);
    }
    return sum;
}

/* The sum of this group's part. Uses the slots from `arriving` on. */
static struct span scatter_parts(struct leading *l, struct operand *o, int arriving) {
    struct team team = leaders_team(&l->g);
    l->q.role = ROLE_EXCHANGE;
    if (l->g.spec.between == BETWEEN_ALL)
        return scatter_to_all(l, arriving);
    if (l->g.spec.between == BETWEEN_RING)
        return team_ring_scatter(&l->q, &team, of_groups, l, arriving, NULL);
    o->result = arriving;
    o->spare = arriving + 1;
    team_double(o, &team);
    l->slot = o->result;
    return of_groups(l, team.place, team.place + 1);
}

bool schedule_leaders_reduce_scatter(struct schedule *s, const struct schedule_request *r) {
    struct leading l;
    struct sequence *q = &l.q;
    begin(&l, r, &r->input, SLOT_INPUT, SLOT_OTHER);
    struct tree_place up = groups_inside(&l.g, TREE_REDUCE);
    bool leads = groups_leads(&l.g), in_order = l.slot == SLOT_INPUT;
    int own = groups_position(&l.g, r->rank), end = own + groups_below(&l.g, r->rank);
    int64_t all = length_between(&l, 0, r->size), mine = r->input.length[r->rank];
    /* The blocks in order, the children's sums, and what the exchange or the parent brings. */
    int children = SLOT_OTHER + !in_order, arriving = children + up.child_count;
    sequence_open(q, s, r, arriving + (leads ? 2 : 1), r->size);
    s->ring_units = all;
    if (leads && r->groups->between == BETWEEN_ALL && l.g.count * length_between(&l, own, end) > all)
        s->ring_units = l.g.count * length_between(&l, own, end);
    reorder(&l, false);
    struct operand o = {.q = q, .length = all, .cells = r->size, .slot = l.slot};
    leaders_gather(&o, &up, children, arriving - 1);
    l.slot = o.slot;
    l.users = SLOT_INPUT;
    struct span sums;
    if (leads) {
        sums = scatter_parts(&l, &o, arriving);
    } else {
        q->role = ROLE_DOWN;
        sums = (struct span){arriving, 0, length_between(&l, own, end), 0, 1};
        sequence_receive(q, up.parent, sums);
    }
    q->role = ROLE_DOWN;
    q->round = 0;
    for (int i = 0; i < up.child_count; i++) {
        struct span theirs = below_child(&l, &up, i, end);
        theirs.slot = sums.slot;
        theirs.at = sums.at + length_between(&l, own, theirs.cell);
        theirs.cell = sums.cell;
        theirs.cells = sums.cells;
        sequence_send(q, up.children[i], theirs);
    }
    if (r->in_place) /* the result goes to the beginning of the buffer, once all blocks in it have been used */
        sequence_wall(q);
    sums.length = mine;
    sequence_copy(q, (struct span){SLOT_OUTPUT, 0, mine, 0, r->in_place ? 0 : 1}, sums);
    return sequence_close(q);
}
