/* Finds the dependencies of each step. */
#include "plan/sequence.h"

#include <stdlib.h>
#include <string.h>

struct cell {
    int writer;  /* -1: none yet */
    int readers; /* links: its readers since then; -1: none */
};

/* Messages between two ranks at these distances of rounds or segments have the same tag, so they must follow one
 * another (see message_tag in the executor). */
enum { ROUNDS_APART = 8, SEGMENTS_APART = 128 };

/* Members' blocks all have one length, so none is empty alone. In a wrong program one may be; its message goes all the
 * same, because the receiver waits for it. */
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
    q->empties = every_member_sends(request->operation);
    q->good = true;
    schedule->slot_count = slots;
    if (schedule->instead)
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

void sequence_after(struct sequence *q, int step, int before) {
    if (q->good && step >= 0)
        q->good = schedule_after(q->schedule, step, before);
}

/* Adds step at the front of the links at *head. */
static void link_to(struct sequence *q, int *head, int step) {
    if (!q->good)
        return;
    if (q->link_count == q->link_capacity) {
        int larger = q->link_capacity ? 2 * q->link_capacity : 64;
        void *moved = realloc(q->links, (size_t)larger * sizeof *q->links);
        if (!moved) {
            q->good = false;
            return;
        }
        q->links = moved;
        q->link_capacity = larger;
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

/* Makes a step wait for the last message to or from that rank with the same tag. */
static void keep_apart(struct sequence *q, int index) {
    const struct step *steps = q->schedule->steps, *step = &steps[index];
    if (!q->latest || !q->good)
        return;
    int *latest = &q->latest[step->kind == STEP_SEND ? step->peer : q->ranks + step->peer];
    for (int link = *latest; link >= 0; link = q->links[link].next) {
        const struct step *before = &steps[q->links[link].step];
        if (before->role == step->role && (step->round - before->round) % ROUNDS_APART == 0 &&
            ((int)step->segment - (int)before->segment) % SEGMENTS_APART == 0) {
            sequence_after(q, index, q->links[link].step);
            break;
        }
    }
    link_to(q, latest, index);
}

static int add(struct sequence *q, enum step_kind kind, int peer, const struct span *slot, const struct span *operand) {
    if (!q->good)
        return -1;
    struct step step = {.kind = (uint8_t)kind,
                        .role = (uint8_t)q->role,
                        .round = (uint16_t)q->round,
                        .peer = peer,
                        .segment = (uint32_t)q->segment,
                        .slot = slot->slot,
                        .operand = operand->slot,
                        .at = slot->at,
                        .operand_at = operand->at,
                        .length = slot->length};
    int index = schedule_add(q->schedule, step);
    q->good = index >= 0;
    sequence_after(q, index, q->floor);
    return index;
}

static int message(struct sequence *q, enum step_kind kind, int peer, struct span span) {
    int64_t left = span.length;
    int segment = q->segment, index = -1;
    do {
        span.length = left < q->most_units ? left : q->most_units;
        index = add(q, kind, peer, &span, &span);
        q->schedule->most_messages++;
        if (q->good && kind == STEP_SEND)
            reads(q, index, &span);
        else if (q->good)
            writes(q, index, &span);
        if (q->good && !q->schedule->instead)
            keep_apart(q, index);
        span.at += span.length;
        left -= span.length;
        q->segment++;
    } while (left > 0 && q->good);
    q->segment = segment;
    return index;
}

int sequence_segment(struct sequence *q, const struct segmentation *cut, int segment) {
    struct schedule *s = q->schedule;
    int place = segment % cut->window;
    q->segment = segment;
    q->round = 0;
    q->most_units = INT64_MAX; /* a segment never exceeds the longest message */
    if (s->instead || cut->segments <= cut->window)
        return place;
    if (segment > 0) {
        int before = (segment - 1) % cut->window, last = s->step_count;
        q->done[before] = add(q, STEP_JOIN, -1, &(struct span){0}, &(struct span){0});
        for (int step = q->first; step < last; step++)
            sequence_after(q, q->done[before], step);
    }
    q->first = s->step_count;
    q->floor = segment < cut->window ? -1 : q->done[place];
    /* Segments are alike, and at most a whole window of them is in flight. */
    if (segment == cut->window)
        q->most_messages = s->most_messages;
    return place;
}

int sequence_send(struct sequence *q, int peer, struct span what) {
    return what.length > 0 || q->empties ? message(q, STEP_SEND, peer, what) : -1;
}

int sequence_receive(struct sequence *q, int peer, struct span where) {
    return where.length > 0 || q->empties ? message(q, STEP_RECEIVE, peer, where) : -1;
}

int sequence_signal(struct sequence *q, int peer) {
    return message(q, STEP_SEND, peer, (struct span){.slot = SLOT_OUTPUT});
}

int sequence_await(struct sequence *q, int peer) {
    return message(q, STEP_RECEIVE, peer, (struct span){.slot = SLOT_OUTPUT});
}

int sequence_both(struct sequence *q, int one, int other) {
    if (one < 0 || other < 0)
        return one < 0 ? other : one;
    int both = add(q, STEP_JOIN, -1, &(struct span){0}, &(struct span){0});
    sequence_after(q, both, one);
    sequence_after(q, both, other);
    return both;
}

void sequence_wall(struct sequence *q) {
    int last = q->schedule->step_count;
    if (q->schedule->instead)
        return;
    int wall = add(q, STEP_JOIN, -1, &(struct span){0}, &(struct span){0});
    for (int step = 0; step < last; step++)
        sequence_after(q, wall, step);
    q->floor = wall;
}

/* Adds local work, in pieces that MPI can count. */
static int local(struct sequence *q, enum step_kind kind, struct span to, struct span from) {
    int64_t left = to.length;
    int index = -1;
    while (left > 0 && q->good) {
        to.length = from.length = left < q->most_units ? left : q->most_units;
        index = add(q, kind, -1, &to, &from);
        if (q->good) {
            reads(q, index, &from);
            writes(q, index, &to);
        }
        to.at += to.length;
        from.at += to.length;
        left -= to.length;
    }
    return index;
}

int sequence_copy(struct sequence *q, struct span to, struct span from) {
    if (from.length < to.length)
        to.length = from.length;
    return local(q, STEP_COPY, to, from);
}

int sequence_combine(struct sequence *q, struct span in, struct span inout) {
    return local(q, STEP_COMBINE, inout, in);
}
