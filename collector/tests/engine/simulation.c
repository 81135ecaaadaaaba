#include "simulation.h"

#include <stdlib.h>
#include <string.h>

#include "expect.h"

struct message {
    int to, from;
    uint32_t segment;
    uint16_t round;
    uint8_t role;
    int64_t length;
    uint64_t *data; /* NULL once received */
};

struct actor actors[SIMULATION_RANKS];
static struct message *messages;
static int message_count, message_capacity, first_open;
static uint64_t (*operation)(uint64_t, uint64_t);

/* What happens next is drawn here (splitmix64): half of the time went into rand. */
static uint32_t below(uint32_t bound) {
    static uint64_t state = 5;
    uint64_t bits = state += UINT64_C(0x9E3779B97F4A7C15);
    bits = (bits ^ bits >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    bits = (bits ^ bits >> 27) * UINT64_C(0x94D049BB133111EB);
    return (uint32_t)((bits ^ bits >> 31) >> 32) % bound;
}

uint64_t simulation_sum(uint64_t in, uint64_t inout) {
    return in + inout;
}

uint64_t simulation_compose(uint64_t in, uint64_t inout) {
    uint32_t a = (uint32_t)in, b = (uint32_t)(in >> 32), c = (uint32_t)inout, d = (uint32_t)(inout >> 32);
    return (uint64_t)(a * c) | (uint64_t)(b * c + d) << 32;
}

void simulation_place(struct actor *a) {
    EXPECT(a->schedule.slot_count <= SIMULATION_SLOTS, "%d slots", a->schedule.slot_count);
    for (int slot = SLOT_OWN; slot < a->schedule.slot_count; slot++)
        a->slots[slot] = calloc((size_t)a->schedule.ring_units + 1, sizeof(uint64_t));
    a->started = calloc((size_t)a->schedule.step_count + 1, sizeof(bool));
    a->left = a->schedule.step_count;
    a->ready = calloc((size_t)a->schedule.step_count + 1, sizeof(int));
    a->ready_count = 0;
    for (int step = 0; step < a->schedule.step_count; step++)
        if (a->schedule.steps[step].waiting == 0)
            a->ready[a->ready_count++] = step;
}

/* The step that is at this place among those that are ready. */
static void finish(struct actor *a, int place) {
    int step = a->ready[place];
    a->ready[place] = a->ready[--a->ready_count];
    a->left--;
    for (int e = a->schedule.steps[step].first_edge; e >= 0; e = a->schedule.edges[e].next) {
        int next = a->schedule.edges[e].step;
        if (--a->schedule.steps[next].waiting == 0)
            a->ready[a->ready_count++] = next;
    }
}

static void send(int from, const struct step *s, const uint64_t *data) {
    if (message_count == message_capacity) {
        message_capacity = message_capacity ? 2 * message_capacity : 1000;
        messages = realloc(messages, (size_t)message_capacity * sizeof *messages);
    }
    struct message *m = &messages[message_count++];
    *m = (struct message){
        s->peer, from, s->segment, s->round, s->role, s->length, malloc((size_t)s->length * sizeof *data + 1)};
    memcpy(m->data, data, (size_t)s->length * sizeof *data);
}

/* The oldest message that MPI could match here, given everything that the executor's tags distinguish. */
static struct message *match(const struct step *s, int to, int from) {
    for (int i = first_open; i < message_count; i++) {
        struct message *m = &messages[i];
        if (m->data && m->to == to && m->from == from && m->role == s->role && (m->round - s->round) % 8 == 0 &&
            (m->segment - s->segment) % 128 == 0)
            return m;
    }
    return NULL;
}

static bool receive(int rank, const struct step *s, uint64_t *to) {
    struct message *m = match(s, rank, s->peer);
    if (!m)
        return false;
    EXPECT(m->length == s->length && m->segment == s->segment && m->round == s->round,
           "%lld units of segment %u, round %d for %lld of %u, %d", (long long)m->length, m->segment, m->round,
           (long long)s->length, s->segment, s->round);
    if (m->length == s->length)
        memcpy(to, m->data, (size_t)s->length * sizeof *to);
    free(m->data);
    m->data = NULL;
    while (first_open < message_count && !messages[first_open].data)
        first_open++;
    return true;
}

/* Tries to advance a step that is ready. True if something happened. */
static bool act(int rank, int place) {
    struct actor *a = &actors[rank];
    int index = a->ready[place];
    struct step *s = &a->schedule.steps[index];
    uint64_t *to = a->slots[s->slot] + s->position, *from = a->slots[s->operand] + s->operand_position;
    bool first = !a->started[index];
    a->started[index] = true;
    switch ((enum step_kind)s->kind) {
    case STEP_SEND:
        if (first) {
            send(rank, s, to);
            return true;
        }
        /* It stays in flight for a while, so its buffer must not change. */
        for (int i = first_open; i < message_count; i++)
            if (messages[i].data && messages[i].from == rank && messages[i].to == s->peer &&
                messages[i].segment == s->segment && messages[i].role == s->role && messages[i].round == s->round)
                EXPECT(memcmp(messages[i].data, to, (size_t)s->length * sizeof *to) == 0, "overwritten while sent");
        break;
    case STEP_RECEIVE:
        if (!receive(rank, s, to))
            return false;
        break;
    case STEP_COPY:
        memcpy(to, from, (size_t)s->length * sizeof *to);
        break;
    case STEP_COMBINE:
        for (int64_t i = 0; i < s->length; i++)
            to[i] = operation(from[i], to[i]);
        break;
    case STEP_JOIN:
        break;
    }
    finish(a, place);
    return true;
}

static void expect_ready_list(const struct schedule *s, const char *what) {
    int ready = 0;
    for (int i = 0; i < s->step_count; i++)
        ready += s->steps[i].unmet == 0;
    EXPECT(ready == s->ready_count && (s->step_count == 0 || ready > 0), "%s: %d ready, not %d", what, s->ready_count,
           ready);
}

int simulation_run(int size, uint64_t (*combine)(uint64_t, uint64_t), const char *what) {
    int left = 0, idle = 0, before_failures = expect_failures;
    operation = combine;
    message_count = first_open = 0;
    for (int rank = 0; rank < size; rank++) {
        left += actors[rank].left;
        expect_ready_list(&actors[rank].schedule, what);
    }
    while (left > 0 && idle < 400000) {
        int rank = (int)below((uint32_t)size);
        struct actor *a = &actors[rank];
        if (a->ready_count == 0) {
            idle++;
            continue;
        }
        int before = a->left;
        idle = act(rank, (int)below((uint32_t)a->ready_count)) ? 0 : idle + 1;
        left -= before - a->left;
    }
    EXPECT(left == 0, "%s: %d steps never ran", what, left);
    for (int i = first_open; i < message_count; i++) {
        EXPECT(!messages[i].data, "%s: a message from %d to %d was never received", what, messages[i].from,
               messages[i].to);
        free(messages[i].data);
    }
    for (int rank = 0; rank < size; rank++) {
        struct actor *a = &actors[rank];
        for (int slot = SLOT_OWN; slot < a->schedule.slot_count; slot++)
            free(a->slots[slot]);
        free(a->ready);
        free(a->started);
    }
    return expect_failures - before_failures;
}
