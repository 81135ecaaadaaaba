/* The loop: run what is ready, look at the messages, and wait only when there is nothing else to do. */
#include "engine/executor.h"

#include <sched.h>
#include <string.h>

#include "engine/sink.h"
#include "record/record.h"

/* What goes into the records; see schemas/otf2.md. */
static uint64_t peer_and_tag(const struct execution *x, const struct step *step) {
    uint32_t tag = (uint32_t)step->phase | (uint32_t)(step->round & 63) << 2 | (step->segment & 255) << 8 |
                   (uint32_t)(x->seq & 65535) << 16;
    return (uint64_t)(uint32_t)step->peer << 32 | tag;
}

/* What MPI matches by. Between two ranks messages stay in order, so this only has to tell apart what is under way at
 * once: the segments of a window, phases, and the next collectives. */
static int message_tag(const struct execution *x, const struct step *step) {
    return (int)((step->segment & 127) | (uint32_t)(step->round & 7) << 7 | (uint32_t)step->phase << 10 |
                 (uint32_t)(x->seq & 3) << 12);
}

struct progress {
    struct execution *x;
    int head, tail; /* of the queue */
    int left;       /* steps that are not done */
};

static void finish(struct progress *p, int index) {
    struct schedule *s = p->x->schedule;
    p->left--;
    for (int edge = s->steps[index].first_edge; edge >= 0; edge = s->edges[edge].next)
        if (--s->steps[s->edges[edge].step].unmet == 0)
            p->x->queue[p->tail++] = s->edges[edge].step;
}

static char *place(const struct execution *x, int slot, int64_t at) {
    return x->slots[slot].base + at * x->slots[slot].stride;
}

static void fail(struct execution *x, int error) {
    if (x->error == MPI_SUCCESS)
        x->error = error;
}

static void copy(struct execution *x, const struct step *step) {
    char *to = place(x, step->slot, step->at), *from = place(x, step->operand, step->operand_at);
    if (x->plain_copy) {
        memmove(to, from, (size_t)(step->length * x->unit_bytes));
        return;
    }
    /* What lies in the gaps of the user's buffer is not ours to write: let MPI copy, in a message to ourselves. */
    int error = pmpi.Sendrecv(from, (int)step->length, x->datatype, x->rank, TRANSPORT_TAG_BIT, to, (int)step->length,
                              x->datatype, x->rank, TRANSPORT_TAG_BIT, x->transport->comm, MPI_STATUS_IGNORE);
    if (error != MPI_SUCCESS)
        fail(x, error);
}

static void combine(struct execution *x, const struct step *step) {
    int error = pmpi.Reduce_local(place(x, step->operand, step->operand_at), place(x, step->slot, step->at),
                                  (int)step->length, x->datatype, x->op);
    if (error != MPI_SUCCESS)
        fail(x, error);
}

static void work(struct execution *x, const struct step *step) {
    bool copies = step->kind == STEP_COPY;
    if (x->error != MPI_SUCCESS)
        return;
    uint16_t what = copies ? SPOOL_STEP_COPY : SPOOL_STEP_COMBINE;
    uint64_t bytes = (uint64_t)(step->length * x->unit_bytes);
    record_append(clock_now(), SPOOL_STEP_BEGIN, what, x->comm, 0, bytes, 0);
    if (copies)
        copy(x, step);
    else
        combine(x, step);
    record_append(clock_now(), SPOOL_STEP_END, what, x->comm, 0, bytes, 0);
}

static void start_send(struct execution *x, int index) {
    struct step *step = &x->schedule->steps[index];
    bool nothing = x->error != MPI_SUCCESS;
    int64_t bytes = nothing ? 0 : step->length * x->unit_bytes;
    step->request = record_request_id();
    record_append(clock_now(), SPOOL_HOP_ISEND, x->tree, x->comm, peer_and_tag(x, step), (uint64_t)bytes,
                  step->request);
    x->transport->kind->send(x->transport, index, place(x, step->slot, step->at), nothing ? 0 : (int)step->length,
                             nothing ? MPI_BYTE : x->datatype, bytes, step->peer, message_tag(x, step));
}

static void start_receive(struct execution *x, int index) {
    struct step *step = &x->schedule->steps[index];
    step->request = record_request_id();
    record_append(clock_now(), SPOOL_HOP_IRECV_POST, x->tree, x->comm, peer_and_tag(x, step),
                  (uint64_t)(step->length * x->unit_bytes), step->request);
    x->transport->kind->receive(x->transport, index, place(x, step->slot, step->at), (int)step->length, x->datatype,
                                step->peer, message_tag(x, step));
}

static void run_ready(struct progress *p) {
    while (p->head < p->tail) {
        int index = p->x->queue[p->head++];
        const struct step *step = &p->x->schedule->steps[index];
        switch ((enum step_kind)step->kind) {
        case STEP_RECEIVE:
            start_receive(p->x, index);
            continue;
        case STEP_SEND:
            start_send(p->x, index);
            continue;
        case STEP_COMBINE:
        case STEP_COPY:
            work(p->x, step);
            break;
        case STEP_JOIN:
            break;
        }
        finish(p, index);
    }
}

static void complete(struct progress *p, const struct completion *done, uint64_t now) {
    struct execution *x = p->x;
    const struct step *step = &x->schedule->steps[done->step];
    bool sent = step->kind == STEP_SEND;
    int64_t expected = step->length * x->unit_bytes;
    if (done->error != MPI_SUCCESS)
        fail(x, done->error);
    else if (!sent && done->bytes != expected)
        fail(x, MPI_ERR_OTHER); /* an empty message: the peer has failed */
    record_append(now, sent ? SPOOL_HOP_ISEND_COMPLETE : SPOOL_HOP_IRECV, x->tree, x->comm, peer_and_tag(x, step),
                  (uint64_t)(sent || done->bytes < 0 ? expected : done->bytes), step->request);
    finish(p, done->step);
}

/* Looks once at what is under way. What is found without waiting came early. While waiting, the completion that gives
 * this rank something to do again ends the wait, with its own time; the others of the same look came early too. */
static void look(struct progress *p, bool *waiting) {
    struct execution *x = p->x;
    const struct completion *done;
    int found = x->transport->kind->poll(x->transport, &done);
    if (found == 0)
        return;
    uint64_t now = clock_now();
    for (int i = 0; i < found; i++) {
        complete(p, &done[i], now);
        if (*waiting && (p->head < p->tail || p->left == 0)) {
            record_append(now, SPOOL_WAIT_END, x->tree, x->comm, 0, 0, 0);
            *waiting = false;
        }
    }
}

/* One look is not enough to say that nothing is there: MPI's Testsome makes progress, but need not tell of what that
 * has brought before it is called again, and a longer message takes a few calls to come in. With one look, messages
 * that had lain there for milliseconds passed for waited for. */
enum { EARLY_LOOKS = 8 };

static void wait_for_work(struct progress *p) {
    bool waiting = false;
    for (int i = 0; i < EARLY_LOOKS; i++) {
        look(p, &waiting);
        if (p->head < p->tail || p->left == 0)
            return;
    }
    record_append(clock_now(), SPOOL_WAIT_BEGIN, p->x->tree, p->x->comm, 0, 0, 0);
    waiting = true;
    for (int idle = 0; waiting;) {
        int left = p->left;
        look(p, &waiting);
        idle = p->left < left ? 0 : idle + 1;
        if (waiting && idle > p->x->idle_polls)
            sched_yield();
    }
}

void execution_run(struct execution *x) {
    struct schedule *s = x->schedule;
    struct progress p = {.x = x, .left = s->step_count};
    for (int receives = 1; receives >= 0; receives--) /* receives first: whoever is early finds them posted */
        for (int i = 0; i < s->step_count; i++)
            if (s->steps[i].unmet == 0 && (s->steps[i].kind == STEP_RECEIVE) == receives)
                x->queue[p.tail++] = i;
    run_ready(&p);
    while (p.left > 0) {
        wait_for_work(&p);
        run_ready(&p);
    }
}

/* One message from start to end. What comes in falls into the sink. */
static void pass(struct execution *x, enum step_kind kind, enum hop_phase phase, int peer, int segment, int64_t bytes) {
    struct sink sink = sink_for(bytes);
    struct step step = {.kind = (uint8_t)kind,
                        .phase = (uint8_t)phase,
                        .peer = peer,
                        .segment = (uint32_t)segment,
                        .length = kind == STEP_RECEIVE ? sink.count : 0,
                        .first_edge = -1};
    struct schedule one = {.steps = &step, .step_count = 1};
    struct slot_memory slot = {sink.buffer, 0};
    int queue[1];
    struct execution inner = *x;
    inner.schedule = &one;
    inner.slots = &slot;
    inner.queue = queue;
    inner.datatype = sink.datatype;
    inner.unit_bytes = 1;
    execution_run(&inner); /* lengths do not fit, which would be an error, and we have one already */
}

void execution_run_empty_handed(struct execution *x, const struct schedule_request *request) {
    const struct tree_place *up = request->up, *down = request->down;
    const struct segmentation *cut = &request->cut;
    int64_t bytes = cut->segment_units * x->unit_bytes; /* the last segment may be shorter */
    for (int segment = 0; up && segment < cut->segments; segment++) {
        for (int i = 0; i < up->child_count; i++)
            pass(x, STEP_RECEIVE, PHASE_UP, up->children[i], segment, bytes);
        if (up->parent >= 0)
            pass(x, STEP_SEND, PHASE_UP, up->parent, segment, bytes);
    }
    for (int segment = 0; down && segment < cut->segments; segment++) {
        if (down->parent >= 0)
            pass(x, STEP_RECEIVE, PHASE_DOWN, down->parent, segment, bytes);
        for (int i = 0; i < down->child_count; i++)
            pass(x, STEP_SEND, PHASE_DOWN, down->children[i], segment, bytes);
    }
}
