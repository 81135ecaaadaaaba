/* Gather and scatter over a tree. A message holds the blocks of a whole subtree, first the subtree's root's and then
 * its children's subtrees in order. In a binomial tree with root 0 that is rank order, and the root copies nothing.
 */
#include "plan/algorithm.h"
#include "plan/sequence.h"

/* The subtrees below this rank, listed one after the other. Uses request->scratch, so that it needs no memory. */
struct subtree {
    const struct schedule_request *r;
    enum tree_direction direction;
    int *ranks; /* room for size */
    int *stack, *children, *tree_scratch;
    int count;
};

static struct subtree subtree_of(const struct schedule_request *r, enum tree_direction direction) {
    int n = r->size;
    return (struct subtree){r, direction, r->scratch, r->scratch + n, r->scratch + 3 * n, r->scratch + 4 * n, 0};
}

/* Appends the subtree of top; returns its size. */
static int list_subtree(struct subtree *t, int top) {
    int first = t->count, waiting = 0;
    t->stack[waiting++] = top;
    while (waiting > 0) {
        struct tree_place place = {.children = t->children};
        int rank = t->stack[--waiting];
        t->ranks[t->count++] = rank;
        tree_place_of(t->r->tree, t->r->members, rank, t->r->root, t->direction, t->tree_scratch, &place);
        for (int i = place.child_count - 1; i >= 0; i--)
            t->stack[waiting++] = place.children[i];
    }
    return t->count - first;
}

/* How many ranks from first on are consecutive, so that their blocks are contiguous. */
static int run_length(const struct subtree *t, int first, int end) {
    int next = first + 1;
    while (next < end && t->ranks[next] == t->ranks[next - 1] + 1)
        next++;
    return next - first;
}

enum { BELOW = SLOT_OTHER }; /* blocks of the subtree, in its order */

struct moving {
    struct sequence q;
    struct subtree below;
    int64_t unit; /* of each block that is passed on; at the root, of each block in its buffer */
    int64_t own;  /* of this rank's own block, in the buffer that holds only that; equal, unless the program is wrong */
};

/* ours: blocks [from, from + count) of the subtree in our memory; users: the same in the user's, if they are
 * contiguous. */
static struct span ours(const struct moving *m, int from, int count) {
    return (struct span){BELOW, from * m->unit, count * m->unit, from, count};
}

static struct span users(const struct moving *m, int slot, int from, int count) {
    int rank = m->below.ranks[from];
    return (struct span){slot, rank * m->unit, count * m->unit, rank, count};
}

static struct span alone(const struct moving *m, int slot) {
    return (struct span){slot, 0, m->own, 0, 0};
}

static bool open(struct moving *m, struct schedule *s, const struct schedule_request *r,
                 enum tree_direction direction) {
    /* Only the root has both, or in place just `all`. */
    const struct blocks *own = direction == TREE_REDUCE ? &r->input : &r->output;
    const struct blocks *all = direction == TREE_REDUCE ? &r->output : &r->input;
    m->unit = all->length ? all->length[r->rank] : own->length[r->rank];
    m->own = own->length ? own->length[r->rank] : m->unit;
    m->below = subtree_of(r, direction);
    sequence_open(&m->q, s, r, BELOW + 1, r->size);
    m->q.role = direction == TREE_REDUCE ? ROLE_UP : ROLE_DOWN;
    m->below.ranks[m->below.count++] = r->rank;
    return r->rank == r->root;
}

static void ring_for(struct schedule *s, struct moving *m) {
    s->ring_units = m->below.count * m->unit;
}

bool schedule_gather_tree(struct schedule *s, const struct schedule_request *r) {
    struct moving m;
    bool at_root = open(&m, s, r, TREE_REDUCE);
    const struct tree_place *up = r->up;
    if (up->child_count == 0) {
        sequence_send(&m.q, up->parent, alone(&m, SLOT_INPUT));
        s->slot_count = SLOT_OTHER;
        return sequence_close(&m.q);
    }
    if (!at_root)
        sequence_copy(&m.q, ours(&m, 0, 1), alone(&m, SLOT_INPUT));
    else if (!r->in_place)
        sequence_copy(&m.q, users(&m, SLOT_OUTPUT, 0, 1), alone(&m, SLOT_INPUT));
    for (int i = 0; i < up->child_count; i++) {
        int first = m.below.count, count = list_subtree(&m.below, up->children[i]), end = first + count;
        bool direct = at_root && run_length(&m.below, first, end) == count;
        sequence_receive(&m.q, up->children[i], direct ? users(&m, SLOT_OUTPUT, first, count) : ours(&m, first, count));
        for (int from = first, run; at_root && !direct && from < end; from += run) {
            run = run_length(&m.below, from, end);
            sequence_copy(&m.q, users(&m, SLOT_OUTPUT, from, run), ours(&m, from, run));
        }
    }
    ring_for(s, &m);
    if (!at_root)
        sequence_send(&m.q, up->parent, ours(&m, 0, m.below.count));
    return sequence_close(&m.q);
}

bool schedule_scatter_tree(struct schedule *s, const struct schedule_request *r) {
    struct moving m;
    bool at_root = open(&m, s, r, TREE_BROADCAST);
    const struct tree_place *down = r->down;
    if (down->child_count == 0) {
        sequence_receive(&m.q, down->parent, alone(&m, SLOT_OUTPUT));
        s->slot_count = SLOT_OTHER;
        return sequence_close(&m.q);
    }
    if (!at_root) {
        for (int i = 0; i < down->child_count; i++)
            list_subtree(&m.below, down->children[i]);
        sequence_receive(&m.q, down->parent, ours(&m, 0, m.below.count));
        m.below.count = 1;
    }
    for (int i = 0; i < down->child_count; i++) {
        int first = m.below.count, count = list_subtree(&m.below, down->children[i]), end = first + count;
        bool direct = at_root && run_length(&m.below, first, end) == count;
        for (int from = first, run; at_root && !direct && from < end; from += run) {
            run = run_length(&m.below, from, end);
            sequence_copy(&m.q, ours(&m, from, run), users(&m, SLOT_INPUT, from, run));
        }
        sequence_send(&m.q, down->children[i], direct ? users(&m, SLOT_INPUT, first, count) : ours(&m, first, count));
    }
    ring_for(s, &m);
    if (!at_root)
        sequence_copy(&m.q, alone(&m, SLOT_OUTPUT), ours(&m, 0, 1));
    else if (!r->in_place)
        sequence_copy(&m.q, alone(&m, SLOT_OUTPUT), users(&m, SLOT_INPUT, 0, 1));
    return sequence_close(&m.q);
}
