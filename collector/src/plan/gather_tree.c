/* Gather and scatter over a tree. A message holds the blocks of a whole subtree: first the block of the subtree's root,
 * then those of its children's subtrees, child by child. In a binomial tree with root 0 this order is rank order, so
 * the root need not copy blocks. */
#include "plan/algorithm.h"
#include "plan/sequence.h"

/* The ranks of the subtrees below this rank, one subtree after the other. The list is in request->scratch. */
struct subtree {
    const struct schedule_request *r;
    enum tree_direction direction;
    int *ranks; /* the list; has room for all ranks of the communicator */
    int *stack, *children, *tree_scratch;
    int count;
};

static struct subtree subtree_of(const struct schedule_request *r, enum tree_direction direction) {
    int size = r->size;
    return (struct subtree){r, direction, r->scratch, r->scratch + size, r->scratch + 3 * size, r->scratch + 4 * size,
                            0};
}

/* Appends the subtree of a root. Returns the subtree's size. */
static int list_subtree(struct subtree *t, int root) {
    int first = t->count, stack_size = 0;
    t->stack[stack_size++] = root;
    while (stack_size > 0) {
        struct tree_position position = {.children = t->children};
        int rank = t->stack[--stack_size];
        t->ranks[t->count++] = rank;
        tree_position_of(t->r->tree, t->r->members, rank, t->r->root, t->direction, t->tree_scratch, &position);
        for (int i = position.child_count - 1; i >= 0; i--)
            t->stack[stack_size++] = position.children[i];
    }
    return t->count - first;
}

/* The number of entries from index `first` on whose ranks are consecutive, so that their blocks are contiguous in the
 * user's buffer. */
static int run_length(const struct subtree *t, int first, int end) {
    int last = first + 1;
    while (last < end && t->ranks[last] == t->ranks[last - 1] + 1)
        last++;
    return last - first;
}

enum { SUBTREE = SLOT_OTHER }; /* the slot for the subtree's blocks, in the order of struct subtree */

struct tree_transfer {
    struct sequence q;
    struct subtree subtree;
    int64_t block_units; /* length of each block in a message or in the root's buffer for all ranks */
    int64_t own_units;   /* length of this rank's own block in its own buffer; equal unless the program is erroneous */
};

/* subtree_span: the subtree's blocks with indices [first, first + count) in the engine's memory. user_span: the same
 * blocks in the user's buffer; they must be contiguous there. */
static struct span subtree_span(const struct tree_transfer *m, int first, int count) {
    return (struct span){SUBTREE, first * m->block_units, count * m->block_units, first, count};
}

static struct span user_span(const struct tree_transfer *m, int slot, int first, int count) {
    int rank = m->subtree.ranks[first];
    return (struct span){slot, rank * m->block_units, count * m->block_units, rank, count};
}

static struct span own_span(const struct tree_transfer *m, int slot) {
    return (struct span){slot, 0, m->own_units, 0, 0};
}

static bool begin(struct tree_transfer *m, struct schedule *s, const struct schedule_request *r,
                  enum tree_direction direction) {
    /* Only the root has both buffers; with MPI_IN_PLACE it has only all_blocks. */
    const struct blocks *own_blocks = direction == TREE_REDUCE ? &r->input : &r->output;
    const struct blocks *all_blocks = direction == TREE_REDUCE ? &r->output : &r->input;
    m->block_units = all_blocks->lengths ? all_blocks->lengths[r->rank] : own_blocks->lengths[r->rank];
    m->own_units = own_blocks->lengths ? own_blocks->lengths[r->rank] : m->block_units;
    m->subtree = subtree_of(r, direction);
    sequence_open(&m->q, s, r, SUBTREE + 1, r->size);
    m->q.role = direction == TREE_REDUCE ? ROLE_UP : ROLE_DOWN;
    m->subtree.ranks[m->subtree.count++] = r->rank;
    return r->rank == r->root;
}

static void set_ring_units(struct schedule *s, struct tree_transfer *m) {
    s->ring_units = m->subtree.count * m->block_units;
}

bool schedule_gather_tree(struct schedule *s, const struct schedule_request *r) {
    struct tree_transfer m;
    bool at_root = begin(&m, s, r, TREE_REDUCE);
    const struct tree_position *up = r->up;
    if (up->child_count == 0) {
        sequence_send(&m.q, up->parent, own_span(&m, SLOT_INPUT));
        s->slot_count = SLOT_OTHER;
        return sequence_close(&m.q);
    }
    if (!at_root)
        sequence_copy(&m.q, subtree_span(&m, 0, 1), own_span(&m, SLOT_INPUT));
    else if (!r->in_place)
        sequence_copy(&m.q, user_span(&m, SLOT_OUTPUT, 0, 1), own_span(&m, SLOT_INPUT));
    for (int i = 0; i < up->child_count; i++) {
        int first = m.subtree.count, count = list_subtree(&m.subtree, up->children[i]), end = first + count;
        bool direct = at_root && run_length(&m.subtree, first, end) == count;
        sequence_receive(&m.q, up->children[i],
                         direct ? user_span(&m, SLOT_OUTPUT, first, count) : subtree_span(&m, first, count));
        for (int run_first = first, run_count; at_root && !direct && run_first < end; run_first += run_count) {
            run_count = run_length(&m.subtree, run_first, end);
            sequence_copy(&m.q, user_span(&m, SLOT_OUTPUT, run_first, run_count),
                          subtree_span(&m, run_first, run_count));
        }
    }
    set_ring_units(s, &m);
    if (!at_root)
        sequence_send(&m.q, up->parent, subtree_span(&m, 0, m.subtree.count));
    return sequence_close(&m.q);
}

bool schedule_scatter_tree(struct schedule *s, const struct schedule_request *r) {
    struct tree_transfer m;
    bool at_root = begin(&m, s, r, TREE_BROADCAST);
    const struct tree_position *down = r->down;
    if (down->child_count == 0) {
        sequence_receive(&m.q, down->parent, own_span(&m, SLOT_OUTPUT));
        s->slot_count = SLOT_OTHER;
        return sequence_close(&m.q);
    }
    if (!at_root) {
        for (int i = 0; i < down->child_count; i++)
            list_subtree(&m.subtree, down->children[i]);
        sequence_receive(&m.q, down->parent, subtree_span(&m, 0, m.subtree.count));
        m.subtree.count = 1;
    }
    for (int i = 0; i < down->child_count; i++) {
        int first = m.subtree.count, count = list_subtree(&m.subtree, down->children[i]), end = first + count;
        bool direct = at_root && run_length(&m.subtree, first, end) == count;
        for (int run_first = first, run_count; at_root && !direct && run_first < end; run_first += run_count) {
            run_count = run_length(&m.subtree, run_first, end);
            sequence_copy(&m.q, subtree_span(&m, run_first, run_count),
                          user_span(&m, SLOT_INPUT, run_first, run_count));
        }
        sequence_send(&m.q, down->children[i],
                      direct ? user_span(&m, SLOT_INPUT, first, count) : subtree_span(&m, first, count));
    }
    set_ring_units(s, &m);
    if (!at_root)
        sequence_copy(&m.q, own_span(&m, SLOT_OUTPUT), subtree_span(&m, 0, 1));
    else if (!r->in_place)
        sequence_copy(&m.q, own_span(&m, SLOT_OUTPUT), user_span(&m, SLOT_INPUT, 0, 1));
    return sequence_close(&m.q);
}
