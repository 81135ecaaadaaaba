/* Finds the dependencies of each step. */
#include "plan/sequence.h"

#include <stdlib.h>
#include <string.h>

struct cell {
    int writer;  /* the last step that wrote to the cell; -1: none yet */
    int readers; /* first link of the list of steps that have read the cell since then; -1: none */
};

/* Tags repeat after this many rounds or segments (see message_tag in engine/executor.c). Messages between two ranks
 * with the same tag must follow one another. */
enum { ROUNDS_APART = 8, SEGMENTS_APART = 128 };

/* True if all blocks have the same length. Then even an empty block must be sent: a single empty block occurs only in
 * an erroneous program, and its receiver waits for a message. */
static bool every_member_sends(enum operation operation) {
    return operation_has_blocks(operation) && operation_is_even(operation) && !operation_reduces(operation);
}

void sequence_open(struct sequence *q, struct schedule *schedule, const struct schedule_request *request, int slots,
                   int cells) {
    memset(q, 0, sizeof *q);
    q->schedule = schedule;
    q->most_units = request->most_units > 0 ? request->most_units : INT64_MAX;
    q->role = ROLE_EXCHANGE;
    q->cells = cells;
    q->ranks = request->size;
    q->floor = -1;
    q->sends_empty = every_member_sends(request->operation);
    q->good = true;
    schedule->slot_count = slots;
    if (schedule->on_step)
        return;
    size_t count = (size_t)slots * (size_t)cells, ranks = 2 * (size_t)request->size;
    q->cell = malloc((count + 1) * sizeof *q->cell);
    q->latest = malloc(ranks * sizeof *q->latest);
    q->good = q->cell && q->latest;
    for (size_t i = 0; q->good && i < count; i++)
        q->cell[i] = (struct cell){-1, -1};
    for (size_t i = 0; q->good && i < ranks; i++)
        q->latest[i] = -1;
}

bool sequence_close(struct sequence *q) {
    free(q->cell);
    free(q->latest);
    free(q->links);
    if (q->most_messages)
        q->schedule->most_messages = q->most_messages;
    return q->good;
}

void sequence_after(struct sequence *q, int step, int predecessor) {
    if (q->good && step >= 0)
        q->good = schedule_after(q->schedule, step, predecessor);
}

/* Adds a step at the front of the linked list that begins at *head. */
static void link_to(struct sequence *q, int *head, int step) {
    if (!q->good)
        return;
    if (q->link_count == q->link_capacity) {
        int capacity = q->link_capacity ? 2 * q->link_capacity : 64;
        void *memory = realloc(q->links, (size_t)capacity * sizeof *q->links);
        if (!memory) {
            q->good = false;
            return;
        }
        q->links = memory;
        q->link_capacity = capacity;
    }
    q->links[q->link_count] = (struct link){step, *head};
    *head = q->link_count++;
}

static void reads(struct sequence *q, int step, const struct span *span) {
    for (int i = 0; i < span->cells && q->cell; i++) {
        struct cell *cell = &q->cell[span->slot * q->cells + span->cell + i];
        sequence_after(q, step, cell->writer);
        link_to(q, &cell->readers, step);
    }
}

static void writes(struct sequence *q, int step, const struct span *span) {
    for (int i = 0; i < span->cells && q->cell; i++) {
        struct cell *cell = &q->cell[span->slot * q->cells + span->cell + i];
        sequence_after(q, step, cell->writer);
        for (int reader = cell->readers; reader >= 0; reader = q->links[reader].next)
            if (q->links[reader].step != step)
                sequence_after(q, step, q->links[reader].step);
        *cell = (struct cell){step, -1};
    }
}

/* Makes a step that sends or receives wait for the previous message with the same tag to or from the same rank. */
static void keep_apart(struct sequence *q, int index) {
    const struct step *steps = q->schedule->steps, *step = &steps[index];
    if (!q->latest || !q->good)
        return;
    int *latest = &q->latest[step->kind == STEP_SEND ? step->peer : q->ranks + step->peer];
    for (int link = *latest; link >= 0; link = q->links[link].next) {
        const struct step *predecessor = &steps[q->links[link].step];
        if (predecessor->role == step->role && (step->round - predecessor->round) % ROUNDS_APART == 0 &&
            ((int)step->segment - (int)predecessor->segment) % SEGMENTS_APART == 0) {
            sequence_after(q, index, q->links[link].step);
            break;
        }
    }
    link_to(q, latest, index);
}

static int add_step(struct sequence *q, enum step_kind kind, int peer, const struct span *slot,
                    const struct span *operand) {
    if (!q->good)
        return -1;
    struct step step = {.kind = (uint8_t)kind,
                        .role = (uint8_t)q->role,
                        .round = (uint16_t)q->round,
                        .peer = peer,
                        .segment = (uint32_t)q->segment,
                        .slot = slot->slot,
                        .operand = operand->slot,
                        .position = slot->position,
                        .operand_position = operand->position,
                        .length = slot->length};
    int index = schedule_add(q->schedule, step);
    q->good = index >= 0;
    sequence_after(q, index, q->floor);
    return index;
}

static int add_message(struct sequence *q, enum step_kind kind, int peer, struct span span) {
    int64_t rest_units = span.length;
    int segment = q->segment, index = -1;
    do {
        span.length = rest_units < q->most_units ? rest_units : q->most_units;
        index = add_step(q, kind, peer, &span, &span);
        q->schedule->most_messages++;
        if (q->good && kind == STEP_SEND)
            reads(q, index, &span);
        else if (q->good)
            writes(q, index, &span);
        if (q->good && !q->schedule->on_step)
            keep_apart(q, index);
        span.position += span.length;
        rest_units -= span.length;
        q->segment++;
    } while (rest_units > 0 && q->good);
    q->segment = segment;
    return index;
}

int sequence_segment(struct sequence *q, const struct segmentation *cut, int segment) {
    struct schedule *s = q->schedule;
    int position = segment % cut->window;
    q->segment = segment;
    q->round = 0;
    q->most_units = INT64_MAX; /* messages need no further cuts, because segments are short enough */
    if (s->on_step || cut->segments <= cut->window)
        return position;
    if (segment > 0) {
        int previous = (segment - 1) % cut->window, last = s->step_count;
        q->done[previous] = add_step(q, STEP_JOIN, -1, &(struct span){0}, &(struct span){0});
        for (int step = q->first; step < last; step++)
            sequence_after(q, q->done[previous], step);
    }
    q->first = s->step_count;
    q->floor = segment < cut->window ? -1 : q->done[position];
    /* All segments have the same number of messages, and at most one window of segments is under way. So the messages
     * of the first window are the most that are under way. */
    if (segment == cut->window)
        q->most_messages = s->most_messages;
    return position;
}

int sequence_send(struct sequence *q, int peer, struct span span) {
    return span.length > 0 || q->sends_empty ? add_message(q, STEP_SEND, peer, span) : -1;
}

int sequence_receive(struct sequence *q, int peer, struct span span) {
    return span.length > 0 || q->sends_empty ? add_message(q, STEP_RECEIVE, peer, span) : -1;
}

int sequence_signal(struct sequence *q, int peer) {
    return add_message(q, STEP_SEND, peer, (struct span){.slot = SLOT_OUTPUT});
}

int sequence_await(struct sequence *q, int peer) {
    return add_message(q, STEP_RECEIVE, peer, (struct span){.slot = SLOT_OUTPUT});
}

int sequence_join(struct sequence *q, int first, int second) {
    if (first < 0 || second < 0)
        return first < 0 ? second : first;
    int join = add_step(q, STEP_JOIN, -1, &(struct span){0}, &(struct span){0});
    sequence_after(q, join, first);
    sequence_after(q, join, second);
    return join;
}

void sequence_wall(struct sequence *q) {
    int last = q->schedule->step_count;
    if (q->schedule->on_step)
        return;
    int wall = add_step(q, STEP_JOIN, -1, &(struct span){0}, &(struct span){0});
    for (int step = 0; step < last; step++)
        sequence_after(q, wall, step);
    q->floor = wall;
}

/* Adds a combine or copy, cut into pieces that are short enough for MPI's counts. */
static int add_local_work(struct sequence *q, enum step_kind kind, struct span target, struct span source) {
    int64_t rest_units = target.length;
    int index = -1;
    while (rest_units > 0 && q->good) {
        target.length = source.length = rest_units < q->most_units ? rest_units : q->most_units;
        index = add_step(q, kind, -1, &target, &source);
        if (q->good) {
            reads(q, index, &source);
            writes(q, index, &target);
        }
        target.position += target.length;
        source.position += target.length;
        rest_units -= target.length;
    }
    return index;
}

int sequence_copy(struct sequence *q, struct span target, struct span source) {
    if (source.length < target.length)
        target.length = source.length;
    return add_local_work(q, STEP_COPY, target, source);
}

int sequence_combine(struct sequence *q, struct span operand, struct span accumulator) {
    return add_local_work(q, STEP_COMBINE, accumulator, operand);
}
