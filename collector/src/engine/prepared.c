#include "engine/prepared.h"

#include <stdlib.h>
#include <string.h>

#include "record/record.h"

/* Classifies how the two buffers relate, because the copies in the schedule depend on this. */
static int buffers_of(const struct engine_call *call) {
    return call->send.base == MPI_IN_PLACE      ? 2
           : call->receive.base == MPI_IN_PLACE ? 3
                                                : call->send.base == call->receive.base;
}

struct prepared *prepared_find(struct engine_comm *e, const struct engine_call *call) {
    for (int i = 0; i < ENGINE_PREPARED; i++) {
        struct prepared *p = &e->prepared[i];
        if (p->used && p->function == call->function && p->receive_count == call->receive.count &&
            p->receive_datatype == call->receive.datatype && p->op == call->op && p->root == call->root &&
            p->send_count == call->send.count && p->send_datatype == call->send.datatype &&
            p->buffers == buffers_of(call)) {
            /* A call that was prepared while recording was off has no tree id, so it is prepared again. */
            if (__builtin_expect(!p->execution.tree && record_is_on(), 0))
                return NULL;
            p->last_use = ++e->uses;
            return p;
        }
    }
    return NULL;
}

int prepared_run(struct prepared *p, const struct engine_call *call) {
    struct engine_comm *e = call->comm->engine;
    struct execution *x = &p->execution;
    for (int i = 0; i < p->schedule.slot_count; i++) {
        const struct slot_home *home = &p->homes[i];
        char *base = NULL;
        if (home->kind == HOME_SEND_BUFFER)
            base = (char *)(uintptr_t)call->send.base;
        else if (home->kind == HOME_RECEIVE_BUFFER)
            base = (char *)(uintptr_t)call->receive.base;
        else if (home->kind == HOME_MEMORY)
            base = e->memory + home->offset;
        e->slots[i] = (struct slot_memory){base, home->stride};
    }
    x->schedule = &p->schedule;
    x->slots = e->slots;
    x->queue = e->queue;
    x->seq = call->seq;
    x->error = MPI_SUCCESS;
    execution_run(x);
    return x->error;
}

static bool find_home(const struct engine_comm *e, const struct engine_call *call, const struct slot_memory *slot,
                      struct slot_home *home) {
    *home = (struct slot_home){.kind = HOME_NOWHERE, .stride = slot->stride};
    if (e->memory && slot->base >= e->memory && slot->base < e->memory + e->memory_bytes) {
        home->kind = HOME_MEMORY;
        home->offset = (size_t)(slot->base - e->memory);
    } else if (slot->base == call->receive.base) {
        home->kind = HOME_RECEIVE_BUFFER;
    } else if (slot->base == call->send.base) {
        home->kind = HOME_SEND_BUFFER;
    } else if (slot->base) {
        return false;
    }
    return true;
}

static void *duplicate(const void *source, size_t bytes) {
    void *copy = malloc(bytes ? bytes : 1);
    return copy && bytes ? memcpy(copy, source, bytes) : copy;
}

static bool copy_schedule(struct schedule *copy, const struct schedule *original) {
    *copy = *original;
    copy->step_capacity = original->step_count;
    copy->edge_capacity = original->edge_count;
    copy->steps = duplicate(original->steps, (size_t)original->step_count * sizeof *original->steps);
    copy->edges = duplicate(original->edges, (size_t)original->edge_count * sizeof *original->edges);
    copy->ready_capacity = original->ready_count;
    copy->ready = duplicate(original->ready, (size_t)original->ready_count * sizeof *original->ready);
    return copy->steps && copy->edges && copy->ready;
}

void prepared_keep(const struct engine_call *call, const struct execution *x) {
    struct engine_comm *e = call->comm->engine;
    struct prepared *oldest = &e->prepared[0];
    int slots = x->schedule->slot_count;
    /* Calls with a count per rank (v-forms) are not kept: struct prepared does not store these counts. */
    if (call->send.counts || call->receive.counts || x->error != MPI_SUCCESS ||
        x->schedule->step_count > PREPARED_MOST_STEPS)
        return;
    for (int i = 1; i < ENGINE_PREPARED; i++)
        if (e->prepared[i].last_use < oldest->last_use)
            oldest = &e->prepared[i];
    prepared_free(oldest);
    struct prepared candidate = {.used = true,
                                 .function = call->function,
                                 .send_count = call->send.count,
                                 .receive_count = call->receive.count,
                                 .root = call->root,
                                 .buffers = buffers_of(call),
                                 .send_datatype = call->send.datatype,
                                 .receive_datatype = call->receive.datatype,
                                 .op = call->op,
                                 .homes = malloc((size_t)slots * sizeof *candidate.homes),
                                 .execution = *x,
                                 .last_use = ++e->uses};
    bool is_complete = copy_schedule(&candidate.schedule, x->schedule) && candidate.homes;
    for (int i = 0; i < slots && is_complete; i++)
        is_complete = find_home(e, call, &e->slots[i], &candidate.homes[i]);
    if (is_complete)
        *oldest = candidate;
    else
        prepared_free(&candidate);
}
