#include "simulation.h"

#include <stdlib.h>
#include <string.h>

#include "expect.h"

struct message {
    int receiver, sender;
    uint32_t segment;
    uint16_t round;
    uint8_t role;
    int64_t length;
    uint64_t *data; /* NULL if the message has been received */
};

struct actor actors[SIMULATION_RANKS];
static struct message *messages;
static int message_count, message_capacity, first_open;
static uint64_t (*operation)(uint64_t, uint64_t);

/* Draws a random number (splitmix64). With rand(), drawing numbers would take half of the tests' time. */
static uint32_t random_below(uint32_t bound) {
    static uint64_t state = 5;
    uint64_t bits = state += UINT64_C(0x9E3779B97F4A7C15);
    bits = (bits ^ bits >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    bits = (bits ^ bits >> 27) * UINT64_C(0x94D049BB133111EB);
    return (uint32_t)((bits ^ bits >> 31) >> 32) % bound;
}

uint64_t simulation_sum(uint64_t operand, uint64_t accumulator) {
    return operand + accumulator;
}

uint64_t simulation_compose(uint64_t operand, uint64_t accumulator) {
    uint32_t a = (uint32_t)operand, b = (uint32_t)(operand >> 32), c = (uint32_t)accumulator,
             d = (uint32_t)(accumulator >> 32);
    return (uint64_t)(a * c) | (uint64_t)(b * c + d) << 32;
}

void simulation_allocate(struct actor *a) {
    EXPECT(a->schedule.slot_count <= SIMULATION_SLOTS, "%d slots", a->schedule.slot_count);
    for (int slot = SLOT_OWN; slot < a->schedule.slot_count; slot++)
        a->slots[slot] = calloc((size_t)a->schedule.ring_units + 1, sizeof(uint64_t));
    a->started = calloc((size_t)a->schedule.step_count + 1, sizeof(bool));
    a->remaining = a->schedule.step_count;
    a->ready = calloc((size_t)a->schedule.step_count + 1, sizeof(int));
    a->ready_count = 0;
    for (int step = 0; step < a->schedule.step_count; step++)
        if (a->schedule.steps[step].waiting == 0)
            a->ready[a->ready_count++] = step;
}

/* Finishes the step at this index of the ready list. */
static void finish(struct actor *a, int ready_index) {
    int step = a->ready[ready_index];
    a->ready[ready_index] = a->ready[--a->ready_count];
    a->remaining--;
    for (int e = a->schedule.steps[step].first_edge; e >= 0; e = a->schedule.edges[e].next) {
        int next = a->schedule.edges[e].step;
        if (--a->schedule.steps[next].waiting == 0)
            a->ready[a->ready_count++] = next;
    }
}

static void send(int sender, const struct step *s, const uint64_t *data) {
    if (message_count == message_capacity) {
        message_capacity = message_capacity ? 2 * message_capacity : 1000;
        messages = realloc(messages, (size_t)message_capacity * sizeof *messages);
    }
    struct message *m = &messages[message_count++];
    *m = (struct message){
        s->peer, sender, s->segment, s->round, s->role, s->length, malloc((size_t)s->length * sizeof *data + 1)};
    memcpy(m->data, data, (size_t)s->length * sizeof *data);
}

/* The oldest message that MPI could match with this receive: same ranks, and equal in everything that the executor's
 * tags distinguish. */
static struct message *match(const struct step *s, int receiver, int sender) {
    for (int i = first_open; i < message_count; i++) {
        struct message *m = &messages[i];
        if (m->data && m->receiver == receiver && m->sender == sender && m->role == s->role &&
            (m->round - s->round) % 8 == 0 && (m->segment - s->segment) % 128 == 0)
            return m;
    }
    return NULL;
}

static bool receive(int rank, const struct step *s, uint64_t *target) {
    struct message *m = match(s, rank, s->peer);
    if (!m)
        return false;
    EXPECT(m->length == s->length && m->segment == s->segment && m->round == s->round,
           "%lld units of segment %u, round %d for %lld of %u, %d", (long long)m->length, m->segment, m->round,
           (long long)s->length, s->segment, s->round);
    if (m->length == s->length)
        memcpy(target, m->data, (size_t)s->length * sizeof *target);
    free(m->data);
    m->data = NULL;
    while (first_open < message_count && !messages[first_open].data)
        first_open++;
    return true;
}

/* Tries to run a step that is ready. True if it made progress. */
static bool act(int rank, int ready_index) {
    struct actor *a = &actors[rank];
    int index = a->ready[ready_index];
    struct step *s = &a->schedule.steps[index];
    uint64_t *target = a->slots[s->slot] + s->position, *source = a->slots[s->operand] + s->operand_position;
    bool is_first = !a->started[index];
    a->started[index] = true;
    switch ((enum step_kind)s->kind) {
    case STEP_SEND:
        if (is_first) {
            send(rank, s, target);
            return true;
        }
        /* While a message is under way, the sender's buffer must not change. */
        for (int i = first_open; i < message_count; i++)
            if (messages[i].data && messages[i].sender == rank && messages[i].receiver == s->peer &&
                messages[i].segment == s->segment && messages[i].role == s->role && messages[i].round == s->round)
                EXPECT(memcmp(messages[i].data, target, (size_t)s->length * sizeof *target) == 0,
                       "overwritten while sent");
        break;
    case STEP_RECEIVE:
        if (!receive(rank, s, target))
            return false;
        break;
    case STEP_COPY:
        memcpy(target, source, (size_t)s->length * sizeof *target);
        break;
    case STEP_COMBINE:
        for (int64_t i = 0; i < s->length; i++)
            target[i] = operation(source[i], target[i]);
        break;
    case STEP_JOIN:
        break;
    }
    finish(a, ready_index);
    return true;
}

static void expect_ready_list(const struct schedule *s, const char *label) {
    int ready = 0;
    for (int i = 0; i < s->step_count; i++)
        ready += s->steps[i].unmet == 0;
    EXPECT(ready == s->ready_count && (s->step_count == 0 || ready > 0), "%s: %d ready, not %d", label, s->ready_count,
           ready);
}

int simulation_run(int size, uint64_t (*combine)(uint64_t, uint64_t), const char *label) {
    int remaining = 0, idle = 0, before_failures = expect_failures;
    operation = combine;
    message_count = first_open = 0;
    for (int rank = 0; rank < size; rank++) {
        remaining += actors[rank].remaining;
        expect_ready_list(&actors[rank].schedule, label);
    }
    while (remaining > 0 && idle < 400000) {
        int rank = (int)random_below((uint32_t)size);
        struct actor *a = &actors[rank];
        if (a->ready_count == 0) {
            idle++;
            continue;
        }
        int remaining_before = a->remaining;
        idle = act(rank, (int)random_below((uint32_t)a->ready_count)) ? 0 : idle + 1;
        remaining -= remaining_before - a->remaining;
    }
    EXPECT(remaining == 0, "%s: %d steps never ran", label, remaining);
    for (int i = first_open; i < message_count; i++) {
        EXPECT(!messages[i].data, "%s: a message from %d to %d was never received", label, messages[i].sender,
               messages[i].receiver);
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
