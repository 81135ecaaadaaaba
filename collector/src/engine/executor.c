/* The execution loop: runs steps that are ready, polls messages, and waits only when no step is ready. */
#include "engine/executor.h"

#include <sched.h>
#include <string.h>

#include "record/record.h"

/* The peer and the hop's tag, as a record of the spool holds them (hopscope/spool.h). */
static uint64_t peer_and_tag(const struct execution *x, const struct step *step) {
    return (uint64_t)(uint32_t)step->peer << 32 | hop_tag(step->role, step->round, step->segment, x->seq);
}

/* The tag of a step's MPI message. Segments of one window, rounds and roles have different tags, because their messages
 * are under way at the same time.
 *
 * Successive collectives have the same tags. This is safe. A rank runs one collective at a time on the engine's
 * communicator and leaves it when all its messages are done, so it posts no receive of the next collective before that.
 * Within a collective a rank receives as many messages per tag from another rank as that rank sends
 * (collector/tests/engine checks this for every algorithm), and messages of one sender and tag match in order. So each
 * collective receives exactly its own messages, however far ahead the sender is. Nonblocking and persistent collectives
 * never run here.
 */
static int message_tag(const struct step *step) {
    return (int)((step->segment & 127) | (uint32_t)(step->round & 7) << 7 | (uint32_t)step->role << 10);
}

struct progress {
    struct execution *x;
    int head, tail; /* positions in the queue: the next step to start, and the end */
    int remaining;  /* steps not done yet */
    bool is_recording;
    bool ticks_are_current; /* since `ticks` was read, the loop has done only bookkeeping */
    uint64_t ticks;
};

/* Records an event. Events with only bookkeeping between them share a timestamp, because reading the clock is most of a
 * record's cost. */
static void record(struct progress *p, enum spool_kind kind, uint16_t region, uint64_t a, uint64_t b, uint64_t c) {
    if (!p->is_recording)
        return;
    if (!p->ticks_are_current)
        p->ticks = clock_now();
    p->ticks_are_current = true;
    record_append(p->ticks, kind, region, p->x->comm, a, b, c);
}

static void finish(struct progress *p, int index) {
    struct schedule *s = p->x->schedule;
    p->remaining--;
    for (int edge = s->steps[index].first_edge; edge >= 0; edge = s->edges[edge].next) {
        struct step *next = &s->steps[s->edges[edge].step];
        if (--next->waiting == 0) {
            next->waiting = next->unmet; /* reset the count for the schedule's next run */
            p->x->queue[p->tail++] = s->edges[edge].step;
        }
    }
}

static char *slot_address(const struct execution *x, int slot, int64_t position) {
    return x->slots[slot].base + position * x->slots[slot].stride;
}

static void fail(struct execution *x, int error) {
    if (x->error == MPI_SUCCESS)
        x->error = error;
}

static void copy(struct execution *x, const struct step *step) {
    char *target = slot_address(x, step->slot, step->position),
         *source = slot_address(x, step->operand, step->operand_position);
    if (x->gapless) {
        memmove(target, source, (size_t)(step->length * x->unit_bytes));
        return;
    }
    /* The gaps between the bytes of the datatype must stay unwritten. So MPI makes the copy: this rank sends a message
     * to itself. */
    int error =
        pmpi.Sendrecv(source, (int)step->length, x->datatype, x->rank, TRANSPORT_TAG_BIT, target, (int)step->length,
                      x->datatype, x->rank, TRANSPORT_TAG_BIT, x->transport->comm, MPI_STATUS_IGNORE);
    if (error != MPI_SUCCESS)
        fail(x, error);
}

static void combine(struct execution *x, const struct step *step) {
    int error = pmpi.Reduce_local(slot_address(x, step->operand, step->operand_position),
                                  slot_address(x, step->slot, step->position), (int)step->length, x->datatype, x->op);
    if (error != MPI_SUCCESS)
        fail(x, error);
}

static void work(struct progress *p, const struct step *step) {
    struct execution *x = p->x;
    bool copies = step->kind == STEP_COPY;
    if (x->error != MPI_SUCCESS)
        return;
    uint16_t region = copies ? SPOOL_STEP_COPY : SPOOL_STEP_COMBINE;
    uint64_t bytes = (uint64_t)(step->length * x->unit_bytes);
    record(p, SPOOL_STEP_BEGIN, region, 0, bytes, 0);
    if (copies)
        copy(x, step);
    else
        combine(x, step);
    p->ticks_are_current = false;
    record(p, SPOOL_STEP_END, region, 0, bytes, 0);
}

static struct message message_of(const struct execution *x, int index) {
    const struct step *step = &x->schedule->steps[index];
    return (struct message){
        .step = index,
        .peer = step->peer,
        .tag = message_tag(step),
        .bytes = step->length * x->unit_bytes,
        .data = x->discards ? NULL : slot_address(x, step->slot, step->position),
        .count = (int)step->length,
        .datatype = x->datatype,
        .gapless = x->gapless,
        .discard = x->discards,
    };
}

static void start_send(struct progress *p, int index) {
    struct execution *x = p->x;
    struct step *step = &x->schedule->steps[index];
    struct message message = message_of(x, index);
    bool is_empty = x->error != MPI_SUCCESS;
    if (is_empty) {
        message.data = NULL;
        message.count = 0;
        message.datatype = MPI_BYTE;
    }
    uint64_t bytes = is_empty ? 0 : (uint64_t)message.bytes;
    step->request = p->is_recording ? record_request_id() : 0;
    record(p, SPOOL_HOP_ISEND, x->tree, peer_and_tag(x, step), bytes, step->request);
    bool is_complete = x->transport->kind->send(x->transport, &message);
    p->ticks_are_current = false;
    if (is_complete) {
        record(p, SPOOL_HOP_ISEND_COMPLETE, x->tree, peer_and_tag(x, step), (uint64_t)message.bytes, step->request);
        finish(p, index);
    }
}

static void start_receive(struct progress *p, int index) {
    struct execution *x = p->x;
    struct step *step = &x->schedule->steps[index];
    struct message message = message_of(x, index);
    step->request = p->is_recording ? record_request_id() : 0;
    record(p, SPOOL_HOP_IRECV_POST, x->tree, peer_and_tag(x, step), (uint64_t)message.bytes, step->request);
    if (!x->transport->kind->receive(x->transport, &message))
        p->ticks_are_current = false;
}

static void run_ready(struct progress *p) {
    while (p->head < p->tail) {
        int index = p->x->queue[p->head++];
        const struct step *step = &p->x->schedule->steps[index];
        switch ((enum step_kind)step->kind) {
        case STEP_RECEIVE:
            start_receive(p, index);
            continue;
        case STEP_SEND:
            start_send(p, index);
            continue;
        case STEP_COMBINE:
        case STEP_COPY:
            work(p, step);
            break;
        case STEP_JOIN:
            break;
        }
        finish(p, index);
    }
}

/* Processes the completion of a message. If the rank waits and a step becomes ready, the wait ends at the time of this
 * completion. */
static void complete(struct progress *p, const struct completion *completion, bool *waiting) {
    struct execution *x = p->x;
    const struct step *step = &x->schedule->steps[completion->step];
    bool is_send = step->kind == STEP_SEND;
    int64_t expected = step->length * x->unit_bytes;
    if (completion->error != MPI_SUCCESS)
        fail(x, completion->error);
    else if (!is_send && completion->bytes != expected)
        fail(x, MPI_ERR_OTHER); /* an empty message means that the peer has failed */
    finish(p, completion->step);
    bool ends_wait = *waiting && (p->head < p->tail || p->remaining == 0);
    record(p, is_send ? SPOOL_HOP_ISEND_COMPLETE : SPOOL_HOP_IRECV, x->tree, peer_and_tag(x, step),
           (uint64_t)(is_send || completion->bytes < 0 ? expected : completion->bytes),
           step->request | (ends_wait ? SPOOL_WAITED : 0));
    if (ends_wait)
        record(p, SPOOL_WAIT_END, x->tree, 0, 0, 0);
    *waiting = *waiting && !ends_wait;
}

/* Polls once. Records a message as waited for only if its completion ends a wait. All other messages count as having
 * arrived early, even if the same poll finds them. */
static void poll_transport(struct progress *p, bool *waiting) {
    const struct completion *completions;
    int count = p->x->transport->kind->poll(p->x->transport, &completions);
    if (count == 0)
        return;
    p->ticks_are_current = false;
    if (p->is_recording)
        clock_after_loads();
    for (int i = 0; i < count; i++)
        complete(p, &completions[i], waiting);
}

static void wait_for_work(struct progress *p) {
    bool waiting = false;
    for (int i = 0; i < p->x->transport->early_polls; i++) {
        poll_transport(p, &waiting);
        if (p->head < p->tail || p->remaining == 0)
            return;
        p->ticks_are_current = p->ticks_are_current && i == 0;
    }
    record(p, SPOOL_WAIT_BEGIN, p->x->tree, 0, 0, 0);
    waiting = true;
    for (int idle = 0; waiting;) {
        int remaining_before = p->remaining;
        poll_transport(p, &waiting);
        idle = p->remaining < remaining_before ? 0 : idle + 1;
        if (waiting && idle > p->x->idle_polls)
            sched_yield();
    }
}

void execution_run(struct execution *x) {
    struct schedule *s = x->schedule;
    struct progress p = {.x = x, .remaining = s->step_count, .is_recording = record_here()};
    for (; p.tail < s->ready_count; p.tail++)
        x->queue[p.tail] = s->ready[p.tail];
    run_ready(&p);
    while (p.remaining > 0) {
        wait_for_work(&p);
        run_ready(&p);
    }
}

void execution_pass(void *context, const struct step *original) {
    struct execution inner = *(struct execution *)context;
    struct step step = *original;
    int queue[1], ready[1] = {0};
    struct schedule schedule = {.steps = &step, .step_count = 1, .ready = ready, .ready_count = 1};
    if (step.kind != STEP_SEND && step.kind != STEP_RECEIVE)
        return;
    inner.schedule = &schedule;
    inner.queue = queue;
    inner.discards = true;
    execution_run(&inner); /* further errors do not matter: the execution has failed already */
}
