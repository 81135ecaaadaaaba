/* Reduce, broadcast, allreduce and barrier over a pair of trees.
 *
 * Segments follow one another through the tree. What arrives from a child stays in that child's ring of `window`
 * segments until it is combined, so memory is bounded however long the message is.
 */
#include "plan/algorithm.h"

/* The current segment, and what later ones need to know of earlier ones: one entry per position in the window. */
struct laying {
    struct schedule *s;
    const struct schedule_request *r;
    int freed[SCHEDULE_WINDOW];     /* after this step the rings' position is free */
    int received[SCHEDULE_WINDOW];  /* after this step the next receive from above may be posted */
    int passed_on[SCHEDULE_WINDOW]; /* after this step the next sends downwards may start */
    int place;                      /* of this segment in the window */
    struct step step;               /* what its steps share */
    int64_t at, ring_at;
    bool good;
};

static int lay(struct laying *l, enum step_kind kind, enum hop_role role, int peer, int slot, int operand) {
    struct step step = l->step;
    step.kind = (uint8_t)kind;
    step.role = (uint8_t)role;
    step.peer = peer;
    step.slot = slot;
    step.operand = operand;
    step.at = slot <= SLOT_OUTPUT ? l->at : l->ring_at;
    step.operand_at = operand <= SLOT_OUTPUT ? l->at : l->ring_at;
    int index = schedule_add(l->s, step);
    l->good = l->good && index >= 0;
    return index;
}

static void after(struct laying *l, int step, int before) {
    l->good = l->good && schedule_after(l->s, step, before);
}

/* One segment on its way up. Returns the step that completes this rank's part of the result. *copied: the step after
 * which data coming down may overwrite the output (-1: from the beginning). */
static int lay_up(struct laying *l, int *copied) {
    const struct schedule_request *r = l->r;
    const struct tree_place *up = r->up;
    int freed = l->freed[l->place];
    bool at_root = up->parent < 0, leaf = up->child_count == 0;
    /* Off the root operands cannot be combined in the output, because data from above may arrive there. They are
     * combined in the first child's ring, which saves a copy, or in a ring of their own. */
    bool copies = !r->empty && (at_root ? !r->in_place : (r->in_place && r->down) || (r->arrival_order && !leaf));
    int gather = at_root ? SLOT_OUTPUT : copies ? SLOT_OWN : leaf || r->empty ? SLOT_INPUT : SLOT_CHILD;
    *copied = -1;
    if (copies) {
        *copied = lay(l, STEP_COPY, ROLE_UP, -1, gather, SLOT_INPUT);
        l->s->own_ring = l->s->own_ring || !at_root;
        if (!at_root)
            after(l, *copied, freed);
    }
    int complete = lay(l, STEP_JOIN, ROLE_UP, -1, gather, gather);
    after(l, complete, *copied);
    int before = *copied;
    for (int i = 0; i < up->child_count && l->good; i++) {
        int child = SLOT_CHILD + i;
        int receive = lay(l, STEP_RECEIVE, ROLE_UP, up->children[i], child, child);
        after(l, receive, freed);
        if (r->empty) {
            after(l, complete, receive);
            continue;
        }
        bool first = gather == child;
        int combine = lay(l, STEP_COMBINE, ROLE_UP, -1, gather, first ? SLOT_INPUT : child);
        after(l, combine, receive);
        after(l, combine, before);
        after(l, complete, combine);
        if (!r->arrival_order)
            before = combine;
    }
    l->freed[l->place] = complete;
    if (!at_root) {
        int send = lay(l, STEP_SEND, ROLE_UP, up->parent, gather, gather);
        after(l, send, complete);
        after(l, send, freed);
        l->freed[l->place] = send;
    }
    return complete;
}

/* One segment on its way down; the root starts as soon as the segment is complete. */
static void lay_down(struct laying *l, int complete, int copied) {
    const struct tree_place *down = l->r->down;
    if (down->parent >= 0) {
        complete = lay(l, STEP_RECEIVE, ROLE_DOWN, down->parent, SLOT_OUTPUT, SLOT_OUTPUT);
        after(l, complete, copied);
        after(l, complete, l->received[l->place]);
        l->received[l->place] = complete;
    }
    if (down->child_count == 0)
        return;
    int all = lay(l, STEP_JOIN, ROLE_DOWN, -1, SLOT_OUTPUT, SLOT_OUTPUT);
    for (int i = 0; i < down->child_count && l->good; i++) {
        int send = lay(l, STEP_SEND, ROLE_DOWN, down->children[i], SLOT_OUTPUT, SLOT_OUTPUT);
        after(l, send, complete);
        after(l, send, l->passed_on[l->place]);
        after(l, all, send);
    }
    l->passed_on[l->place] = all;
}

static int messages_of(const struct tree_place *place) {
    return place ? place->child_count + (place->parent >= 0) : 0;
}

bool schedule_tree(struct schedule *s, const struct schedule_request *r) {
    struct laying l = {.s = s, .r = r, .good = true};
    s->slot_count = SLOT_CHILD + (r->up ? r->up->child_count : 0);
    s->ring_units = (int64_t)r->cut.window * r->cut.segment_units;
    s->most_messages = r->cut.window * (messages_of(r->up) + messages_of(r->down));
    for (int i = 0; i < SCHEDULE_WINDOW; i++)
        l.freed[i] = l.received[i] = l.passed_on[i] = -1;
    for (int segment = 0; segment < r->cut.segments && l.good; segment++) {
        l.place = segment % r->cut.window;
        l.at = segment * r->cut.segment_units;
        l.ring_at = l.place * r->cut.segment_units;
        l.step.segment = (uint32_t)segment;
        l.step.length = segmentation_units(&r->cut, segment);
        int complete = -1, copied = -1;
        if (r->up)
            complete = lay_up(&l, &copied);
        if (r->down)
            lay_down(&l, complete, copied);
    }
    return l.good;
}
