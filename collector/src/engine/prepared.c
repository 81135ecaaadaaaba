#include "engine/prepared.h"

#include <stdlib.h>
#include <string.h>

#include "engine/engine_comm.h"
#include "record/record.h"

/* How the two buffers lie to one another, which decides what is copied. */
static int buffers_of(const struct engine_call *call) {
    return call->send_buffer == MPI_IN_PLACE ? 2 : call->send_buffer == call->receive_buffer;
}

struct prepared *prepared_find(struct engine_comm *e, const struct engine_call *call) {
    for (int i = 0; i < ENGINE_PREPARED; i++) {
        struct prepared *p = &e->prepared[i];
        if (p->used && p->function == call->function && p->count == call->count && p->datatype == call->datatype &&
            p->op == call->op && p->root == call->root && p->buffers == buffers_of(call)) {
            /* What was prepared while nothing was recorded has no name for its tree. */
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
            base = (char *)(uintptr_t)call->send_buffer;
        else if (home->of == HOME_RECEIVE_BUFFER)
            base = call->receive_buffer;
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
    } else if (slot->base == call->receive_buffer) {
        home->of = HOME_RECEIVE_BUFFER;
    } else if (slot->base == call->send_buffer) {
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
    return to->steps && to->edges;
}

void prepared_keep(const struct engine_call *call, const struct execution *x) {
    struct engine_comm *e = call->comm->engine;
    struct prepared *place = &e->prepared[0];
    int slots = x->schedule->slot_count;
    if (x->error != MPI_SUCCESS || x->schedule->step_count > PREPARED_MOST_STEPS)
        return;
    for (int i = 1; i < ENGINE_PREPARED; i++)
        if (e->prepared[i].used_at < place->used_at)
            place = &e->prepared[i];
    prepared_clear(place);
    struct prepared kept = {.used = true,
                            .function = call->function,
                            .count = call->count,
                            .root = call->root,
                            .buffers = buffers_of(call),
                            .datatype = call->datatype,
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
        prepared_clear(&kept);
}

void prepared_clear(struct prepared *p) {
    schedule_clear(&p->schedule);
    free(p->homes);
    *p = (struct prepared){0};
}
