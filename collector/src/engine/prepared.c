#include "engine/prepared.h"

#include <stdlib.h>
#include <string.h>

#include "record/record.h"

/* How the two buffers relate, which decides what is copied. */
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
            /* Calls prepared while recording was off have no tree id. */
            if (__builtin_expect(!p->execution.tree && record_is_on(), 0))
                return NULL;
            p->used_at = ++e->uses;
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
        if (home->of == HOME_SEND_BUFFER)
            base = (char *)(uintptr_t)call->send.base;
        else if (home->of == HOME_RECEIVE_BUFFER)
            base = (char *)(uintptr_t)call->receive.base;
        else if (home->of == HOME_MEMORY)
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
    *home = (struct slot_home){.of = HOME_NOWHERE, .stride = slot->stride};
    if (e->memory && slot->base >= e->memory && slot->base < e->memory + e->memory_bytes) {
        home->of = HOME_MEMORY;
        home->offset = (size_t)(slot->base - e->memory);
    } else if (slot->base == call->receive.base) {
        home->of = HOME_RECEIVE_BUFFER;
    } else if (slot->base == call->send.base) {
        home->of = HOME_SEND_BUFFER;
    } else if (slot->base) {
        return false;
    }
    return true;
}

static void *duplicate(const void *from, size_t bytes) {
    void *made = malloc(bytes ? bytes : 1);
    return made && bytes ? memcpy(made, from, bytes) : made;
}

static bool copy_schedule(struct schedule *to, const struct schedule *from) {
    *to = *from;
    to->step_capacity = from->step_count;
    to->edge_capacity = from->edge_count;
    to->steps = duplicate(from->steps, (size_t)from->step_count * sizeof *from->steps);
    to->edges = duplicate(from->edges, (size_t)from->edge_count * sizeof *from->edges);
    to->ready_capacity = from->ready_count;
    to->ready = duplicate(from->ready, (size_t)from->ready_count * sizeof *from->ready);
    return to->steps && to->edges && to->ready;
}

void prepared_keep(const struct engine_call *call, const struct execution *x) {
    struct engine_comm *e = call->comm->engine;
    struct prepared *place = &e->prepared[0];
    int slots = x->schedule->slot_count;
    /* The key of a prepared call does not hold the counts of v-forms. */
    if (call->send.counts || call->receive.counts || x->error != MPI_SUCCESS ||
        x->schedule->step_count > PREPARED_MOST_STEPS)
        return;
    for (int i = 1; i < ENGINE_PREPARED; i++)
        if (e->prepared[i].used_at < place->used_at)
            place = &e->prepared[i];
    engine_comm_forget(place);
    struct prepared kept = {.used = true,
                            .function = call->function,
                            .send_count = call->send.count,
                            .receive_count = call->receive.count,
                            .root = call->root,
                            .buffers = buffers_of(call),
                            .send_datatype = call->send.datatype,
                            .receive_datatype = call->receive.datatype,
                            .op = call->op,
                            .homes = malloc((size_t)slots * sizeof *kept.homes),
                            .execution = *x,
                            .used_at = ++e->uses};
    bool good = copy_schedule(&kept.schedule, x->schedule) && kept.homes;
    for (int i = 0; i < slots && good; i++)
        good = find_home(e, call, &e->slots[i], &kept.homes[i]);
    if (good)
        *place = kept;
    else
        engine_comm_forget(&kept);
}
