/* The sender's end: puts short messages and the rendezvous requests (RTS) of long ones into the channel, and copies
 * long messages into the lane that the receiver grants. */
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
    if (peer->sent_count - peer->freed_count < WINDOW_SLOTS)
        return true;
    peer->freed_count = atomic_load_explicit(&peer->outgoing->freed_count, memory_order_acquire);
    return peer->sent_count - peer->freed_count < WINDOW_SLOTS;
}

static uint64_t put(const struct transport_shm *t, struct peer *peer, const struct message *m, int64_t bytes,
                    int *error) {
    struct window_slot *slot = &peer->outgoing->slots[peer->sent_count % WINDOW_SLOTS];
    uint64_t number = ++peer->sent_count;
    *error = bytes <= WINDOW_SHORT_BYTES ? pack(t, m, slot->data, bytes) : MPI_SUCCESS;
    slot->tag = (uint32_t)m->tag;
    slot->bytes = *error == MPI_SUCCESS ? bytes : 0;
    atomic_store_explicit(&slot->number, number, memory_order_release);
    return number;
}

/* Packs a long message if it is not contiguous, and sets the address from which its bytes are sent. */
static void prepare_long(const struct transport_shm *t, struct pending_send *g) {
    g->source = g->message.data;
    if (g->message.gapless || g->bytes <= WINDOW_SHORT_BYTES)
        return;
    char *packed = malloc((size_t)g->bytes);
    g->error = packed ? pack(t, &g->message, packed, g->bytes) : MPI_ERR_NO_MEM;
    if (g->error == MPI_SUCCESS) {
        g->source = packed;
        return;
    }
    free(packed);
    g->bytes = 0; /* an empty message tells the receiver of the error */
    g->message.count = 0;
}

static void post(const struct transport_shm *t, struct peer *peer, struct pending_send *g) {
    int error = MPI_SUCCESS;
    g->number = put(t, peer, &g->message, g->bytes, &error);
    if (g->error == MPI_SUCCESS)
        g->error = error;
    if (g->bytes <= WINDOW_SHORT_BYTES)
        g->done_bytes = g->bytes;
}

bool shm_send(struct transport_shm *t, const struct message *m) {
    int64_t bytes = m->count > 0 ? m->bytes : 0;
    int error;
    struct peer *peer = &t->peers[m->peer];
    bool is_immediate = peer->queued_count == 0 && has_room(peer);
    if (is_immediate && bytes <= WINDOW_SHORT_BYTES) {
        put(t, peer, m, bytes, &error);
        if (error == MPI_SUCCESS)
            return true;
        t->completions[t->failed_count++] = (struct completion){m->step, error, -1};
        return false;
    }
    struct pending_send *g = &t->sends[t->send_count++];
    *g = (struct pending_send){.message = *m, .lane = -1, .bytes = bytes};
    prepare_long(t, g);
    if (is_immediate)
        post(t, peer, g);
    else
        peer->queued_count++;
    return false;
}

bool shm_advance_send(struct transport_shm *t, struct pending_send *g) {
    struct peer *peer = &t->peers[g->message.peer];
    if (!g->number) {
        if (peer->stuck_poll == t->polls) /* an earlier message still waits, and messages must keep their order */
            return false;
        if (!has_room(peer)) {
            peer->stuck_poll = t->polls;
            return false;
        }
        post(t, peer, g);
        peer->queued_count--;
    }
    if (g->done_bytes == g->bytes)
        return true;
    if (g->lane < 0) {
        uint64_t grant = atomic_load_explicit(&peer->outgoing->grant, memory_order_acquire);
        if (grant >> 8 != g->number)
            return false;
        g->lane = (int)(grant & 255);
    }
    struct window_buffer *lane = window_lane(&t->window, t->window.member_of_rank[g->message.peer], g->lane);
    while (g->done_bytes < g->bytes) {
        _Atomic uint64_t *filled = &lane[g->piece].bytes;
        if (atomic_load_explicit(filled, memory_order_acquire) != 0)
            return false;
        int64_t rest = g->bytes - g->done_bytes, bytes = rest < WINDOW_PIECE_BYTES ? rest : WINDOW_PIECE_BYTES;
        memcpy(lane[g->piece].data, g->source + g->done_bytes, (size_t)bytes);
        atomic_store_explicit(filled, (uint64_t)bytes, memory_order_release);
        g->done_bytes += bytes;
        g->piece = (g->piece + 1) % t->window.buffers;
    }
    if (g->source != g->message.data)
        free((char *)(uintptr_t)g->source);
    return true;
}
