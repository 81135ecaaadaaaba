/* The receiver's end: finds the message with a tag in the channel. When it has room for a long message, it grants a
 * lane to it. */
#include <stdlib.h>
#include <string.h>

#include "engine/shm_messages.h"

static int unpack(const struct transport_shm *t, const struct message *m, const char *packed, int64_t bytes) {
    int position = 0;
    if (m->discard || bytes == 0)
        return MPI_SUCCESS;
    if (bytes != m->bytes)
        return bytes > m->bytes ? MPI_ERR_TRUNCATE : MPI_SUCCESS; /* the executor notices if bytes are missing */
    if (m->gapless) {
        memcpy(m->data, packed, (size_t)bytes);
        return MPI_SUCCESS;
    }
    return pmpi.Unpack(packed, (int)bytes, &position, m->data, m->count, m->datatype, t->transport.comm);
}

/* Begins to receive the message with this number into the receive c. data: the content of a short message. Returns true
 * if c is then done. */
static bool begin_receive(const struct transport_shm *t, struct pending_receive *c, uint64_t number, int64_t bytes,
                          const char *data) {
    c->bytes = bytes;
    c->error = MPI_SUCCESS;
    if (bytes <= WINDOW_SHORT_BYTES) {
        c->error = unpack(t, &c->message, data, bytes);
        return true;
    }
    c->number = number;
    c->lane = -1;
    c->piece = 0;
    c->done_bytes = 0;
    return false;
}

static void take(struct peer *peer, unsigned offset) {
    peer->taken_bits |= 1u << offset;
    for (; peer->taken_bits & 1; peer->taken_bits >>= 1)
        peer->taken_count++;
    atomic_store_explicit(&peer->incoming->freed_count, peer->taken_count, memory_order_release);
}

/* Makes room in a channel that is full of messages for which no receive is posted: moves the oldest message aside. */
static bool set_aside_oldest(struct peer *peer) {
    const struct window_slot *slot = &peer->incoming->slots[peer->taken_count % WINDOW_SLOTS];
    size_t bytes = slot->bytes <= WINDOW_SHORT_BYTES ? (size_t)slot->bytes : 0;
    struct early_message *early_message = malloc(sizeof *early_message + bytes), **tail = &peer->early_messages;
    if (!early_message)
        return false; /* the next poll tries again */
    *early_message = (struct early_message){.number = peer->taken_count + 1, .tag = slot->tag, .bytes = slot->bytes};
    memcpy(early_message->data, slot->data, bytes);
    while (*tail)
        tail = &(*tail)->next;
    *tail = early_message;
    take(peer, 0);
    return true;
}

/* Finds the oldest message with c's tag. Returns true if c is done. */
static bool find_message(struct transport_shm *t, struct pending_receive *c) {
    struct peer *peer = &t->peers[c->message.peer];
    for (struct early_message **link = &peer->early_messages; __builtin_expect(*link != NULL, 0);
         link = &(*link)->next) {
        struct early_message *early_message = *link;
        if (early_message->tag != (uint32_t)c->message.tag)
            continue;
        bool is_done = begin_receive(t, c, early_message->number, early_message->bytes, early_message->data);
        *link = early_message->next;
        free(early_message);
        return is_done;
    }
    for (unsigned i = 0; i < WINDOW_SLOTS; i++) {
        uint64_t number = peer->taken_count + 1 + i;
        struct window_slot *slot = &peer->incoming->slots[(number - 1) % WINDOW_SLOTS];
        if (peer->taken_bits >> i & 1)
            continue;
        if (atomic_load_explicit(&slot->number, memory_order_acquire) != number)
            return false;
        if (slot->tag != (uint32_t)c->message.tag)
            continue;
        bool is_done = begin_receive(t, c, number, slot->bytes, slot->data);
        take(peer, i);
        return is_done;
    }
    if (set_aside_oldest(peer))
        return find_message(t, c);
    return false;
}

static bool grant(struct transport_shm *t, struct pending_receive *c) {
    struct peer *peer = &t->peers[c->message.peer];
    if (peer->is_granting)
        return false;
    for (int lane = 0; lane < WINDOW_LANES && c->lane < 0; lane++)
        if (!t->lane_is_taken[lane])
            c->lane = lane;
    if (c->lane < 0)
        return false;
    c->destination = c->message.discard ? NULL : c->message.data;
    if (c->bytes != c->message.bytes) {
        c->destination = NULL;
        c->error = c->bytes > c->message.bytes ? MPI_ERR_TRUNCATE : MPI_SUCCESS; /* as unpack() does */
    } else if (!c->message.discard && !c->message.gapless) {
        c->destination = malloc((size_t)c->bytes);
        c->error = c->destination ? MPI_SUCCESS : MPI_ERR_NO_MEM;
    }
    peer->is_granting = true;
    t->lane_is_taken[c->lane] = true;
    atomic_store_explicit(&peer->incoming->grant, c->number << 8 | (uint64_t)c->lane, memory_order_release);
    return true;
}

bool shm_advance_receive(struct transport_shm *t, struct pending_receive *c) {
    if (!c->number) {
        if (find_message(t, c))
            return true;
        if (!c->number)
            return false;
    }
    if (c->lane < 0 && !grant(t, c))
        return false;
    struct window_buffer *lane = window_lane(&t->window, t->window.own_index, c->lane);
    while (c->done_bytes < c->bytes) {
        _Atomic uint64_t *filled = &lane[c->piece].bytes;
        uint64_t bytes = atomic_load_explicit(filled, memory_order_acquire);
        if (bytes == 0)
            return false;
        if (c->destination)
            memcpy(c->destination + c->done_bytes, lane[c->piece].data, bytes);
        atomic_store_explicit(filled, 0, memory_order_release);
        c->done_bytes += (int64_t)bytes;
        c->piece = (c->piece + 1) % t->window.buffers;
    }
    t->lane_is_taken[c->lane] = false;
    t->peers[c->message.peer].is_granting = false;
    if (c->destination && !c->message.discard && !c->message.gapless) {
        c->error = unpack(t, &c->message, c->destination, c->bytes);
        free(c->destination);
    }
    return true;
}

void shm_free_early_messages(struct peer *peer) {
    while (peer->early_messages) {
        struct early_message *early_message = peer->early_messages;
        peer->early_messages = early_message->next;
        free(early_message);
    }
}
