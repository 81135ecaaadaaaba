/* Reduce, broadcast, allreduce and barrier over a pair of trees.
 *
 * Segments follow one another through the tree. Each child's data arrives in a ring of `window` segments and stays
 * there until it is combined, so the memory does not grow with the length of the message.
 */
#include "plan/algorithm.h"

/* The current segment, and the steps of earlier segments for which it must wait. The arrays have one entry for each
 * position in the window. */
struct tree_segments {
    struct schedule *s;
    const struct schedule_request *r;
    int freed[SCHEDULE_WINDOW];     /* after this step, the position in the rings is free */
    int received[SCHEDULE_WINDOW];  /* after this step, the next receive from the parent may be posted */
    int passed_on[SCHEDULE_WINDOW]; /* after this step, the next sends to the children may start */
    int window_position;            /* the current segment's position in the window */
    struct step step;               /* the fields that all steps of the segment share */
    int64_t position, ring_position;
    bool good;
};

static int add_step(struct tree_segments *l, enum step_kind kind, enum hop_role role, int peer, int slot, int operand) {
    struct step step = l->step;
    step.kind = (uint8_t)kind;
    step.role = (uint8_t)role;
    step.peer = peer;
    step.slot = slot;
    step.operand = operand;
    step.position = slot <= SLOT_OUTPUT ? l->position : l->ring_position;
    step.operand_position = operand <= SLOT_OUTPUT ? l->position : l->ring_position;
    int index = schedule_add(l->s, step);
    l->good = l->good && index >= 0;
    return index;
}

static void add_dependency(struct tree_segments *l, int step, int predecessor) {
    l->good = l->good && schedule_after(l->s, step, predecessor);
}

/* Schedules one segment on its way up. Returns the step after which the sum of this rank's subtree is complete. Sets
 * *copied to the step after which data from the parent may overwrite the output; -1: at any time. */
static int schedule_up(struct tree_segments *l, int *copied) {
    const struct schedule_request *r = l->r;
    const struct tree_position *up = r->up;
    int freed = l->freed[l->window_position];
    bool at_root = up->parent < 0, is_leaf = up->child_count == 0;
    /* Only the root combines operands in the output: on other ranks, data from the parent may arrive there. Those ranks
     * combine them in the first child's ring, which saves a copy, or in a separate ring. */
    bool copies = !r->empty && (at_root ? !r->in_place : (r->in_place && r->down) || (r->arrival_order && !is_leaf));
    int gather = at_root ? SLOT_OUTPUT : copies ? SLOT_OWN : is_leaf || r->empty ? SLOT_INPUT : SLOT_CHILD;
    *copied = -1;
    if (copies) {
        *copied = add_step(l, STEP_COPY, ROLE_UP, -1, gather, SLOT_INPUT);
        l->s->own_ring = l->s->own_ring || !at_root;
        if (!at_root)
            add_dependency(l, *copied, freed);
    }
    int complete = add_step(l, STEP_JOIN, ROLE_UP, -1, gather, gather);
    add_dependency(l, complete, *copied);
    int previous = *copied;
    for (int i = 0; i < up->child_count && l->good; i++) {
        int child = SLOT_CHILD + i;
        int receive = add_step(l, STEP_RECEIVE, ROLE_UP, up->children[i], child, child);
        add_dependency(l, receive, freed);
        if (r->empty) {
            add_dependency(l, complete, receive);
            continue;
        }
        bool is_first = gather == child;
        int combine = add_step(l, STEP_COMBINE, ROLE_UP, -1, gather, is_first ? SLOT_INPUT : child);
        add_dependency(l, combine, receive);
        add_dependency(l, combine, previous);
        add_dependency(l, complete, combine);
        if (!r->arrival_order)
            previous = combine;
    }
    l->freed[l->window_position] = complete;
    if (!at_root) {
        int send = add_step(l, STEP_SEND, ROLE_UP, up->parent, gather, gather);
        add_dependency(l, send, complete);
        add_dependency(l, send, freed);
        l->freed[l->window_position] = send;
    }
    return complete;
}

/* Schedules one segment on its way down. The root starts after the step `complete`; other ranks start when the segment
 * arrives from the parent. */
static void schedule_down(struct tree_segments *l, int complete, int copied) {
    const struct tree_position *down = l->r->down;
    if (down->parent >= 0) {
        complete = add_step(l, STEP_RECEIVE, ROLE_DOWN, down->parent, SLOT_OUTPUT, SLOT_OUTPUT);
        add_dependency(l, complete, copied);
        add_dependency(l, complete, l->received[l->window_position]);
        l->received[l->window_position] = complete;
    }
    if (down->child_count == 0)
        return;
    int all_sent = add_step(l, STEP_JOIN, ROLE_DOWN, -1, SLOT_OUTPUT, SLOT_OUTPUT);
    for (int i = 0; i < down->child_count && l->good; i++) {
        int send = add_step(l, STEP_SEND, ROLE_DOWN, down->children[i], SLOT_OUTPUT, SLOT_OUTPUT);
        add_dependency(l, send, complete);
        add_dependency(l, send, l->passed_on[l->window_position]);
        add_dependency(l, all_sent, send);
    }
    l->passed_on[l->window_position] = all_sent;
}

static int messages_of(const struct tree_position *position) {
    return position ? position->child_count + (position->parent >= 0) : 0;
}

bool schedule_tree(struct schedule *s, const struct schedule_request *r) {
    struct tree_segments l = {.s = s, .r = r, .good = true};
    s->slot_count = SLOT_CHILD + (r->up ? r->up->child_count : 0);
    s->ring_units = (int64_t)r->cut.window * r->cut.segment_units;
    s->most_messages = r->cut.window * (messages_of(r->up) + messages_of(r->down));
    for (int i = 0; i < SCHEDULE_WINDOW; i++)
        l.freed[i] = l.received[i] = l.passed_on[i] = -1;
    for (int segment = 0; segment < r->cut.segments && l.good; segment++) {
        l.window_position = segment % r->cut.window;
        l.position = segment * r->cut.segment_units;
        l.ring_position = l.window_position * r->cut.segment_units;
        l.step.segment = (uint32_t)segment;
        l.step.length = segmentation_units(&r->cut, segment);
        int complete = -1, copied = -1;
        if (r->up)
            complete = schedule_up(&l, &copied);
        if (r->down)
            schedule_down(&l, complete, copied);
    }
    return l.good;
}
