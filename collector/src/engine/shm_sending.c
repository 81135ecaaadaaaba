/* The sender's end: puts short messages into the channel; announces long ones there and copies them into the lane that
 * the receiver grants. */
#include <stdlib.h>
#include <string.h>

#include "engine/shm_messages.h"

static int pack(const struct transport_shm *t, const struct message *m, char *packed, int64_t bytes) {
    int position = 0;
    if (bytes == 0)
        return MPI_SUCCESS;
    if (m->gapless) {
        memcpy(packed, m->data, (size_t)bytes);
        return MPI_SUCCESS;
    }
    return pmpi.Pack(m->data, m->count, m->datatype, packed, (int)bytes, &position, t->transport.comm);
}

static bool has_room(struct peer *peer) {
    if (peer->sent - peer->freed < WINDOW_SLOTS)
        return true;
    peer->freed = atomic_load_explicit(&peer->out->freed, memory_order_acquire);
    return peer->sent - peer->freed < WINDOW_SLOTS;
}

static uint64_t put(const struct transport_shm *t, struct peer *peer, const struct message *m, int64_t bytes,
                    int *error) {
    struct window_slot *slot = &peer->out->slots[peer->sent % WINDOW_SLOTS];
    uint64_t number = ++peer->sent;
    *error = bytes <= WINDOW_SHORT_BYTES ? pack(t, m, slot->data, bytes) : MPI_SUCCESS;
    slot->tag = (uint32_t)m->tag;
    slot->bytes = *error == MPI_SUCCESS ? bytes : 0;
    atomic_store_explicit(&slot->number, number, memory_order_release);
    return number;
}

/* Finds or packs the bytes that a long message is copied from. */
static void prepare_long(const struct transport_shm *t, struct going *g) {
    g->from = g->m.data;
    if (g->m.gapless || g->bytes <= WINDOW_SHORT_BYTES)
        return;
    char *packed = malloc((size_t)g->bytes);
    g->error = packed ? pack(t, &g->m, packed, g->bytes) : MPI_ERR_NO_MEM;
    if (g->error == MPI_SUCCESS) {
        g->from = packed;
        return;
    }
    free(packed);
    g->bytes = 0; /* an empty message tells the receiver */
    g->m.count = 0;
}

static void announce(const struct transport_shm *t, struct peer *peer, struct going *g) {
    int error = MPI_SUCCESS;
    g->number = put(t, peer, &g->m, g->bytes, &error);
    if (g->error == MPI_SUCCESS)
        g->error = error;
    if (g->bytes <= WINDOW_SHORT_BYTES)
        g->done = g->bytes;
}

bool shm_send(struct transport_shm *t, const struct message *m) {
    int64_t bytes = m->count > 0 ? m->bytes : 0;
    int error;
    struct peer *peer = &t->peers[m->peer];
    bool now = peer->queued == 0 && has_room(peer);
    if (now && bytes <= WINDOW_SHORT_BYTES) {
        put(t, peer, m, bytes, &error);
        if (error == MPI_SUCCESS)
            return true;
        t->done[t->failed++] = (struct completion){m->step, error, -1};
        return false;
    }
    struct going *g = &t->going[t->going_count++];
    *g = (struct going){.m = *m, .lane = -1, .bytes = bytes};
    prepare_long(t, g);
    if (now)
        announce(t, peer, g);
    else
        peer->queued++;
    return false;
}

bool shm_advance_going(struct transport_shm *t, struct going *g) {
    struct peer *peer = &t->peers[g->m.peer];
    if (!g->number) {
        if (peer->stuck_at == t->polls) /* messages keep their order */
            return false;
        if (!has_room(peer)) {
            peer->stuck_at = t->polls;
            return false;
        }
        announce(t, peer, g);
        peer->queued--;
    }
    if (g->done == g->bytes)
        return true;
    if (g->lane < 0) {
        uint64_t granted = atomic_load_explicit(&peer->out->granted, memory_order_acquire);
        if (granted >> 8 != g->number)
            return false;
        g->lane = (int)(granted & 255);
    }
    struct window_buffer *lane = window_lane(&t->window, t->window.member_of_rank[g->m.peer], g->lane);
    while (g->done < g->bytes) {
        _Atomic uint64_t *filled = &lane[g->piece].bytes;
        if (atomic_load_explicit(filled, memory_order_acquire) != 0)
            return false;
        int64_t left = g->bytes - g->done, bytes = left < WINDOW_PIECE_BYTES ? left : WINDOW_PIECE_BYTES;
        memcpy(lane[g->piece].data, g->from + g->done, (size_t)bytes);
        atomic_store_explicit(filled, (uint64_t)bytes, memory_order_release);
        g->done += bytes;
        g->piece = (g->piece + 1) % t->window.buffers;
    }
    if (g->from != g->m.data)
        free((char *)(uintptr_t)g->from);
    return true;
}
