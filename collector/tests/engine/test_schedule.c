/* Schedules, run for all ranks at once in memory: messages and steps finish in random order, results must not care. */
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "plan/schedule.h"

enum { MOST = 9, MOST_UNITS = 700, MOST_SLOTS = SLOT_CHILD + MOST };

struct message {
    int to, from;
    uint32_t segment;
    uint8_t phase;
    int64_t length;
    long *data; /* NULL once received */
};

struct actor {
    struct schedule schedule;
    struct tree_place up, down;
    int up_children[MOST], down_children[MOST];
    long *slots[MOST_SLOTS];
    bool posted[20000], done[20000], started[20000];
    int left;
};

static struct actor actors[MOST];
static struct message *messages;
static int message_count;

static void finish(struct actor *a, int step) {
    a->done[step] = true;
    a->left--;
    for (int e = a->schedule.steps[step].first_edge; e >= 0; e = a->schedule.edges[e].next)
        a->schedule.steps[a->schedule.edges[e].step].unmet--;
}

/* Tries to move one step on; true if something happened. */
static bool act(int rank, int index) {
    struct actor *a = &actors[rank];
    struct step *s = &a->schedule.steps[index];
    if (a->done[index] || s->unmet > 0)
        return false;
    long *to = a->slots[s->slot] + s->at, *from = a->slots[s->operand] + s->operand_at;
    if (s->kind == STEP_SEND && !a->started[index]) {
        a->started[index] = true;
        struct message *m = &messages[message_count++];
        *m = (struct message){s->peer,  rank,      s->segment,
                              s->phase, s->length, malloc((size_t)s->length * sizeof(long) + 1)};
        memcpy(m->data, to, (size_t)s->length * sizeof(long));
        return true;
    }
    if (s->kind == STEP_RECEIVE) {
        for (int i = 0; i < message_count; i++) {
            struct message *m = &messages[i];
            if (!m->data || m->to != rank || m->from != s->peer || m->segment != s->segment || m->phase != s->phase)
                continue;
            EXPECT(m->length == s->length, "lengths differ");
            memcpy(to, m->data, (size_t)s->length * sizeof(long));
            free(m->data);
            m->data = NULL;
            finish(a, index);
            return true;
        }
        return false;
    }
    if (s->kind == STEP_COPY)
        memcpy(to, from, (size_t)s->length * sizeof(long));
    for (int64_t i = 0; s->kind == STEP_COMBINE && i < s->length; i++)
        to[i] += from[i];
    if (s->kind == STEP_SEND) /* it stays under way for a while: its buffer must hold still */
        for (int i = 0; i < message_count; i++)
            if (messages[i].data && messages[i].from == rank && messages[i].to == s->peer &&
                messages[i].segment == s->segment && messages[i].phase == s->phase)
                EXPECT(memcmp(messages[i].data, to, (size_t)s->length * sizeof(long)) == 0, "overwritten while sent");
    finish(a, index);
    return true;
}

static void run_all(int size, const char *what) {
    int left = 0, idle = 0;
    for (int rank = 0; rank < size; rank++)
        left += actors[rank].left = actors[rank].schedule.step_count;
    while (left > 0 && idle < 400000) {
        int rank = rand() % size;
        struct actor *a = &actors[rank];
        if (a->schedule.step_count == 0)
            continue;
        /* Mostly near the first unfinished step, sometimes anywhere. */
        int index = rand() % a->schedule.step_count, before = a->left;
        idle = act(rank, index) ? 0 : idle + 1;
        left -= before - a->left;
        for (int k = 0; k < a->schedule.step_count && rand() % 4; k++) {
            before = a->left;
            if (act(rank, (index + k) % a->schedule.step_count))
                idle = 0;
            left -= before - a->left;
        }
    }
    EXPECT(left == 0, "%s: %d steps never ran", what, left);
}

static void one_random_collective(int turn) {
    static const enum tree_shape shapes[] = {TREE_FLAT, TREE_CHAIN, TREE_KARY, TREE_BINOMIAL_MPICH, TREE_BINOMIAL_LAM};
    int size = 1 + rand() % MOST, root = rand() % size, kind = rand() % 3; /* reduce, broadcast, allreduce */
    int64_t units = 1 + rand() % MOST_UNITS;
    uint64_t segment_bytes = rand() % 3 == 0 ? 0 : 8u * (1u + (unsigned)rand() % 40u);
    struct segmentation cut = segmentation_of(units, 8, segment_bytes);
    if (cut.segments > 200)
        return;
    struct tree_spec up = {.shape = shapes[rand() % 5], .fan_out = 1 + rand() % 3};
    struct tree_spec down = {.shape = shapes[rand() % 5], .fan_out = 1 + rand() % 3};
    struct tree_members members = {size, NULL, NULL};
    bool arrival = rand() % 2, in_place = rand() % 2;
    int scratch[2 * MOST];
    char what[100];
    snprintf(what, sizeof what, "turn %d: kind %d, size %d, root %d, %lld units in %d segments", turn, kind, size, root,
             (long long)units, cut.segments);
    messages = malloc(sizeof *messages * (size_t)(cut.segments * MOST * 4 + 1));
    message_count = 0;
    for (int rank = 0; rank < size; rank++) {
        struct actor *a = &actors[rank];
        memset(a->done, 0, sizeof a->done);
        memset(a->started, 0, sizeof a->started);
        a->up.children = a->up_children;
        a->down.children = a->down_children;
        tree_place_of(&up, &members, rank, root, TREE_REDUCE, scratch, &a->up);
        tree_place_of(&down, &members, rank, root, TREE_BROADCAST, scratch, &a->down);
        struct schedule_request request = {.cut = cut,
                                           .up = kind == 1 ? NULL : &a->up,
                                           .down = kind == 0 ? NULL : &a->down,
                                           .in_place = kind == 1 || (in_place && (kind == 2 || rank == root)),
                                           .arrival_order = arrival};
        EXPECT(schedule_tree(&a->schedule, &request) && a->schedule.step_count < 20000, "%s", what);
        for (int slot = 0; slot < a->schedule.slot_count; slot++) {
            int64_t room = slot <= SLOT_OUTPUT ? units : a->schedule.ring_units;
            a->slots[slot] = calloc((size_t)room + 1, sizeof(long));
        }
        if (request.in_place) {
            free(a->slots[SLOT_INPUT]);
            a->slots[SLOT_INPUT] = a->slots[SLOT_OUTPUT];
        }
        for (int64_t i = 0; i < units; i++)
            a->slots[SLOT_INPUT][i] = kind == 1 && rank != root ? -1 : (long)(i * 1000) + rank;
    }
    run_all(size, what);
    for (int rank = 0; rank < size; rank++) {
        struct actor *a = &actors[rank];
        for (int64_t i = 0; i < units && (kind > 0 || rank == root); i++) {
            long wanted = kind == 1 ? i * 1000 + root : (long)i * 1000 * size + (long)size * (size - 1) / 2;
            EXPECT(a->slots[SLOT_OUTPUT][i] == wanted, "%s: rank %d has %ld at %lld, not %ld", what, rank,
                   a->slots[SLOT_OUTPUT][i], (long long)i, wanted);
        }
        if (a->slots[SLOT_INPUT] != a->slots[SLOT_OUTPUT])
            free(a->slots[SLOT_INPUT]);
        for (int slot = SLOT_OUTPUT; slot < a->schedule.slot_count; slot++)
            free(a->slots[slot]);
        schedule_clear(&a->schedule);
    }
    free(messages);
}

static void messages_are_cut_as_asked(void) {
    struct segmentation cut = segmentation_of(10, 8, 24);
    EXPECT(cut.segments == 4 && cut.segment_units == 3, "%d of %lld", cut.segments, (long long)cut.segment_units);
    cut = segmentation_of(10, 8, 5);
    EXPECT(cut.segments == 10 && cut.segment_units == 1, "an element is never cut");
    cut = segmentation_of(10, 8, 0);
    EXPECT(cut.segments == 1 && cut.segment_units == 10, "whole");
    cut = segmentation_of(0, 0, 100);
    EXPECT(cut.segments == 1 && cut.segment_units == 0, "empty");
    cut = segmentation_of(1 << 23, 1, 1);
    EXPECT(cut.segments == SCHEDULE_MOST_SEGMENTS && cut.window == SCHEDULE_WINDOW, "bounded");
    cut = segmentation_of(INT64_C(3) << 30, 1, 0);
    EXPECT(cut.segments == 3, "no segment is longer than MPI can count");
}

static void a_barrier_moves_no_data(void) {
    int children[] = {1, 2};
    struct tree_place place = {-1, 2, children};
    struct schedule s = {0};
    struct schedule_request request = {.cut = segmentation_of(0, 0, 0), .up = &place, .down = &place, .empty = true};
    EXPECT(schedule_tree(&s, &request), "memory");
    for (int i = 0; i < s.step_count; i++)
        EXPECT(s.steps[i].kind != STEP_COMBINE && s.steps[i].kind != STEP_COPY && s.steps[i].length == 0, "step %d", i);
    schedule_clear(&s);
}

/* A schedule that kept its edges the other way round served the smallest subtree first. */
static void children_are_served_in_the_order_of_the_tree(void) {
    int up_children[] = {1, 2, 4}, down_children[] = {4, 2, 1}, served = 0;
    struct tree_place up = {-1, 3, up_children}, down = {-1, 3, down_children};
    struct schedule s = {0};
    struct schedule_request request = {.cut = segmentation_of(5, 8, 0), .up = &up, .down = &down};
    EXPECT(schedule_tree(&s, &request), "memory");
    for (int i = 0; i < s.step_count; i++)
        for (int edge = s.steps[i].first_edge; edge >= 0 && s.steps[i].kind == STEP_JOIN; edge = s.edges[edge].next)
            if (s.steps[s.edges[edge].step].kind == STEP_SEND) {
                int peer = s.steps[s.edges[edge].step].peer;
                EXPECT(served < 3 && peer == down_children[served], "%d is served at place %d", peer, served);
                served++;
            }
    EXPECT(served == 3, "%d served", served);
    schedule_clear(&s);
}

int main(void) {
    children_are_served_in_the_order_of_the_tree();
    srand(11);
    messages_are_cut_as_asked();
    a_barrier_moves_no_data();
    for (int turn = 0; turn < 400; turn++)
        one_random_collective(turn);
    return expect_failures != 0;
}
