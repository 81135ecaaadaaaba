/* The receiver's end: finds the message with a tag in the channel, and grants a lane to a long one when there is room
 * for it. */
#include <stdlib.h>
#include <string.h>

#include "engine/shm_messages.h"

static int unpack(const struct transport_shm *t, const struct message *m, const char *packed, int64_t bytes) {
    int position = 0;
    if (m->discard || bytes == 0)
        return MPI_SUCCESS;
    if (bytes != m->bytes)
        return bytes > m->bytes ? MPI_ERR_TRUNCATE : MPI_SUCCESS; /* too few bytes: the executor notices */
    if (m->gapless) {
        memcpy(m->data, packed, (size_t)bytes);
        return MPI_SUCCESS;
    }
    return pmpi.Unpack(packed, (int)bytes, &position, m->data, m->count, m->datatype, t->transport.comm);
}

/* A message for c was found; data is its content if it is short. True if c is then done. */
static bool found_message(const struct transport_shm *t, struct coming *c, uint64_t number, int64_t bytes,
                          const char *data) {
    c->bytes = bytes;
    c->error = MPI_SUCCESS;
    if (bytes <= WINDOW_SHORT_BYTES) {
        c->error = unpack(t, &c->m, data, bytes);
        return true;
    }
    c->number = number;
    c->lane = -1;
    c->piece = 0;
    c->done = 0;
    return false;
}

static void take(struct peer *peer, unsigned place) {
    peer->gone |= 1u << place;
    for (; peer->gone & 1; peer->gone >>= 1)
        peer->taken++;
    atomic_store_explicit(&peer->in->freed, peer->taken, memory_order_release);
}

/* Frees a slot if the channel is full of messages without a receive: moves the oldest aside. */
static bool hold_oldest(struct peer *peer) {
    const struct window_slot *slot = &peer->in->slots[peer->taken % WINDOW_SLOTS];
    size_t bytes = slot->bytes <= WINDOW_SHORT_BYTES ? (size_t)slot->bytes : 0;
    struct held *held = malloc(sizeof *held + bytes), **last = &peer->held;
    if (!held)
        return false; /* the next poll tries again */
    *held = (struct held){.number = peer->taken + 1, .tag = slot->tag, .bytes = slot->bytes};
    memcpy(held->data, slot->data, bytes);
    while (*last)
        last = &(*last)->next;
    *last = held;
    take(peer, 0);
    return true;
}

/* Finds the oldest message with c's tag. True if c is done. */
static bool find(struct transport_shm *t, struct coming *c) {
    struct peer *peer = &t->peers[c->m.peer];
    for (struct held **place = &peer->held; __builtin_expect(*place != NULL, 0); place = &(*place)->next) {
        struct held *held = *place;
        if (held->tag != (uint32_t)c->m.tag)
            continue;
        bool whole = found_message(t, c, held->number, held->bytes, held->data);
        *place = held->next;
        free(held);
        return whole;
    }
    for (unsigned i = 0; i < WINDOW_SLOTS; i++) {
        uint64_t number = peer->taken + 1 + i;
        struct window_slot *slot = &peer->in->slots[(number - 1) % WINDOW_SLOTS];
        if (peer->gone >> i & 1)
            continue;
        if (atomic_load_explicit(&slot->number, memory_order_acquire) != number)
            return false;
        if (slot->tag != (uint32_t)c->m.tag)
            continue;
        bool whole = found_message(t, c, number, slot->bytes, slot->data);
        take(peer, i);
        return whole;
    }
    if (hold_oldest(peer))
        return find(t, c);
    return false;
}

static bool grant(struct transport_shm *t, struct coming *c) {
    struct peer *peer = &t->peers[c->m.peer];
    if (peer->granting)
        return false;
    for (int lane = 0; lane < WINDOW_LANES && c->lane < 0; lane++)
        if (!t->lanes_taken[lane])
            c->lane = lane;
    if (c->lane < 0)
        return false;
    c->to = c->m.discard ? NULL : c->m.data;
    if (c->bytes != c->m.bytes) {
        c->to = NULL;
        c->error = c->bytes > c->m.bytes ? MPI_ERR_TRUNCATE : MPI_SUCCESS; /* as in unpack */
    } else if (!c->m.discard && !c->m.gapless) {
        c->to = malloc((size_t)c->bytes);
        c->error = c->to ? MPI_SUCCESS : MPI_ERR_NO_MEM;
    }
    peer->granting = true;
    t->lanes_taken[c->lane] = true;
    atomic_store_explicit(&peer->in->granted, c->number << 8 | (uint64_t)c->lane, memory_order_release);
    return true;
}

bool shm_advance_coming(struct transport_shm *t, struct coming *c) {
    if (!c->number) {
        if (find(t, c))
            return true;
        if (!c->number)
            return false;
    }
    if (c->lane < 0 && !grant(t, c))
        return false;
    struct window_buffer *lane = window_lane(&t->window, t->window.own, c->lane);
    while (c->done < c->bytes) {
        _Atomic uint64_t *filled = &lane[c->piece].bytes;
        uint64_t bytes = atomic_load_explicit(filled, memory_order_acquire);
        if (bytes == 0)
            return false;
        if (c->to)
            memcpy(c->to + c->done, lane[c->piece].data, bytes);
        atomic_store_explicit(filled, 0, memory_order_release);
        c->done += (int64_t)bytes;
        c->piece = (c->piece + 1) % t->window.buffers;
    }
    t->lanes_taken[c->lane] = false;
    t->peers[c->m.peer].granting = false;
    if (c->to && !c->m.discard && !c->m.gapless) {
        c->error = unpack(t, &c->m, c->to, c->bytes);
        free(c->to);
    }
    return true;
}

void shm_forget_held(struct peer *peer) {
    while (peer->held) {
        struct held *held = peer->held;
        peer->held = held->next;
        free(held);
    }
}
