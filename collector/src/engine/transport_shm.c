/* Messages between ranks of one machine through memory that they share; to the others, messages of MPI. */
#include <stdlib.h>
#include <string.h>

#include "engine/shm_window.h"
#include "engine/transport.h"

/* A message that came before its receive and had to make room for others in the channel. */
struct held {
    struct held *next;
    uint64_t number;
    uint32_t tag;
    int64_t bytes;
    char data[]; /* of a short one */
};

struct peer {
    struct window_channel *out, *in;
    uint64_t sent, freed; /* of the channel to it: messages in all, and how many of them have left, as last seen */
    uint64_t stuck_at;    /* the poll in which it had no room */
    int queued;           /* messages that wait for room */
    uint64_t taken;       /* of the channel from it */
    uint32_t gone;        /* bit i: message taken + 1 + i has been taken too */
    bool granting;        /* one long message at a time */
    struct held *held;
};

struct coming {
    struct message m;
    uint64_t number; /* of a long message; 0: none has been found yet */
    int lane;        /* -1: not granted yet */
    int piece, error;
    int64_t bytes, done;
    char *to; /* where the pieces go; NULL: nowhere */
};

struct going {
    struct message m;
    uint64_t number; /* 0: waits for room in the channel */
    int lane;        /* -1: not granted yet */
    int piece, error;
    int64_t bytes, done;
    const char *from;
};

struct transport_shm {
    struct transport transport; /* first: the two share their address */
    struct shm_window window;
    struct transport *mpi;
    int by_mpi; /* messages under way there */
    int ranks;
    struct peer *peers;
    bool lanes_taken[WINDOW_LANES];
    int capacity, coming_count, going_count, failed;
    struct coming *coming;
    struct going *going;
    struct completion *done;
    uint64_t polls;
};

/* So many polls between two looks at MPI, whose other messages need our progress while we wait here. */
enum { POLLS_PER_PROGRESS = 16 };

static bool reserve(struct transport *transport, int most) {
    struct transport_shm *t = (struct transport_shm *)transport;
    if (most <= t->capacity)
        return true;
    size_t n = (size_t)most;
    struct coming *coming = malloc(n * sizeof *coming);
    struct going *going = malloc(n * sizeof *going);
    struct completion *done = malloc(n * sizeof *done);
    if (!coming || !going || !done || !t->mpi->kind->reserve(t->mpi, most)) {
        free(coming);
        free(going);
        free(done);
        return false;
    }
    free(t->coming), t->coming = coming; /* nothing is under way now */
    free(t->going), t->going = going;
    free(t->done), t->done = done;
    t->capacity = most;
    return true;
}

static void count_mpi(struct transport_shm *t, int change) {
    t->by_mpi += change;
    t->transport.early_looks = t->by_mpi ? TRANSPORT_LOOKS_AT_MPI : 1;
}

/* Packed data and the user's, where they differ. */
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

static int unpack(const struct transport_shm *t, const struct message *m, const char *packed, int64_t bytes) {
    int position = 0;
    if (m->discard || bytes == 0)
        return MPI_SUCCESS;
    if (bytes != m->bytes)
        return bytes > m->bytes ? MPI_ERR_TRUNCATE : MPI_SUCCESS; /* too few: the executor sees it */
    if (m->gapless) {
        memcpy(m->data, packed, (size_t)bytes);
        return MPI_SUCCESS;
    }
    return pmpi.Unpack(packed, (int)bytes, &position, m->data, m->count, m->datatype, t->transport.comm);
}

/* Sending */

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

/* What a long message is copied from. */
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
    g->bytes = 0; /* the receiver learns of it by an empty message */
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

static bool send(struct transport *transport, const struct message *m) {
    struct transport_shm *t = (struct transport_shm *)transport;
    int64_t bytes = m->count > 0 ? m->bytes : 0;
    int error;
    if (t->window.member_of_rank[m->peer] < 0) {
        t->mpi->comm = t->transport.comm;
        count_mpi(t, 1);
        if (!t->mpi->kind->send(t->mpi, m))
            return false;
        count_mpi(t, -1);
        return true;
    }
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

/* True when nothing of it is here any more. */
static bool advance_going(struct transport_shm *t, struct going *g) {
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
    struct window_lane *lane = window_lane(&t->window, t->window.member_of_rank[g->m.peer], g->lane);
    while (g->done < g->bytes) {
        _Atomic uint64_t *filled = &lane->buffers[g->piece].bytes;
        if (atomic_load_explicit(filled, memory_order_acquire) != 0)
            return false;
        int64_t left = g->bytes - g->done, bytes = left < WINDOW_PIECE_BYTES ? left : WINDOW_PIECE_BYTES;
        memcpy(lane->buffers[g->piece].data, g->from + g->done, (size_t)bytes);
        atomic_store_explicit(filled, (uint64_t)bytes, memory_order_release);
        g->done += bytes;
        g->piece = !g->piece;
    }
    if (g->from != g->m.data)
        free((char *)(uintptr_t)g->from);
    return true;
}

/* Receiving */

static bool receive(struct transport *transport, const struct message *m) {
    struct transport_shm *t = (struct transport_shm *)transport;
    if (t->window.member_of_rank[m->peer] < 0) {
        t->mpi->comm = t->transport.comm;
        count_mpi(t, 1);
        return t->mpi->kind->receive(t->mpi, m);
    }
    struct coming *c = &t->coming[t->coming_count++];
    c->m = *m;
    c->number = 0;
    return true;
}

/* A message for c has been found, with this data if it is short. True if that is all. */
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

/* The channel is full of messages that nobody here has asked for yet: the oldest makes room. */
static bool hold_oldest(struct peer *peer) {
    const struct window_slot *slot = &peer->in->slots[peer->taken % WINDOW_SLOTS];
    size_t bytes = slot->bytes <= WINDOW_SHORT_BYTES ? (size_t)slot->bytes : 0;
    struct held *held = malloc(sizeof *held + bytes), **last = &peer->held;
    if (!held)
        return false; /* tried again in the next poll */
    *held = (struct held){.number = peer->taken + 1, .tag = slot->tag, .bytes = slot->bytes};
    memcpy(held->data, slot->data, bytes);
    while (*last)
        last = &(*last)->next;
    *last = held;
    take(peer, 0);
    return true;
}

/* Looks for the oldest message of c's tag. True if c is done. */
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
        c->error = MPI_ERR_TRUNCATE;
    } else if (!c->m.discard && !c->m.gapless) {
        c->to = malloc((size_t)c->bytes);
        c->error = c->to ? MPI_SUCCESS : MPI_ERR_NO_MEM;
    }
    peer->granting = true;
    t->lanes_taken[c->lane] = true;
    atomic_store_explicit(&peer->in->granted, c->number << 8 | (uint64_t)c->lane, memory_order_release);
    return true;
}

/* True when the message is here. */
static bool advance_coming(struct transport_shm *t, struct coming *c) {
    if (!c->number) {
        if (find(t, c))
            return true;
        if (!c->number)
            return false;
    }
    if (c->lane < 0 && !grant(t, c))
        return false;
    struct window_lane *lane = window_lane(&t->window, t->window.own, c->lane);
    while (c->done < c->bytes) {
        _Atomic uint64_t *filled = &lane->buffers[c->piece].bytes;
        uint64_t bytes = atomic_load_explicit(filled, memory_order_acquire);
        if (bytes == 0)
            return false;
        if (c->to)
            memcpy(c->to + c->done, lane->buffers[c->piece].data, bytes);
        atomic_store_explicit(filled, 0, memory_order_release);
        c->done += (int64_t)bytes;
        c->piece = !c->piece;
    }
    t->lanes_taken[c->lane] = false;
    t->peers[c->m.peer].granting = false;
    if (c->to && !c->m.discard && !c->m.gapless) {
        c->error = unpack(t, &c->m, c->to, c->bytes);
        free(c->to);
    }
    return true;
}

static int look_at_mpi(struct transport_shm *t, int found) {
    const struct completion *done;
    int flag, here;
    if (t->by_mpi == 0) {
        if (t->polls % POLLS_PER_PROGRESS == 0)
            pmpi.Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, t->transport.comm, &flag, MPI_STATUS_IGNORE);
        return found;
    }
    here = t->mpi->kind->poll(t->mpi, &done);
    for (int i = 0; i < here; i++)
        t->done[found++] = done[i];
    count_mpi(t, -here);
    return found;
}

static int poll_once(struct transport *transport, const struct completion **done) {
    struct transport_shm *t = (struct transport_shm *)transport;
    int found = t->failed, kept = 0;
    t->failed = 0;
    t->polls++;
    *done = t->done;
    for (int i = 0; i < t->coming_count; i++) {
        struct coming *c = &t->coming[i];
        if (advance_coming(t, c))
            t->done[found++] = (struct completion){c->m.step, c->error, c->bytes};
        else if (kept++ != i)
            t->coming[kept - 1] = *c;
    }
    t->coming_count = kept;
    kept = 0;
    for (int i = 0; i < t->going_count; i++) {
        struct going *g = &t->going[i];
        if (advance_going(t, g))
            t->done[found++] = (struct completion){g->m.step, g->error, -1};
        else if (kept++ != i)
            t->going[kept - 1] = *g;
    }
    t->going_count = kept;
    return look_at_mpi(t, found);
}

static void close_shm(struct transport *transport) {
    struct transport_shm *t = (struct transport_shm *)transport;
    for (int i = 0; t->peers && i < t->ranks; i++) {
        while (t->peers[i].held) {
            struct held *held = t->peers[i].held;
            t->peers[i].held = held->next;
            free(held);
        }
    }
    if (t->mpi)
        t->mpi->kind->close(t->mpi);
    shm_window_close(&t->window);
    free(t->peers);
    free(t->coming);
    free(t->going);
    free(t->done);
    free(t);
}

void transport_shm_settled(struct transport *transport) {
    shm_window_unlink(&((struct transport_shm *)transport)->window);
}

struct transport *transport_shm_open(const struct comm *comm, const struct neighbors *neighbors) {
    static const struct transport_kind kind = {reserve, send, receive, poll_once, close_shm};
    struct transport_shm *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->transport.kind = &kind;
    t->transport.early_looks = 1;
    t->mpi = transport_mpi_open();
    t->ranks = comm->size;
    t->peers = calloc((size_t)comm->size, sizeof *t->peers);
    if (!t->mpi || !t->peers || !shm_window_open(&t->window, comm, neighbors)) {
        close_shm(&t->transport);
        return NULL;
    }
    for (int rank = 0; rank < comm->size; rank++) {
        int there = t->window.member_of_rank[rank];
        if (there < 0)
            continue;
        t->peers[rank].out = window_channel(&t->window, t->window.own, there);
        t->peers[rank].in = window_channel(&t->window, there, t->window.own);
        t->peers[rank].stuck_at = UINT64_MAX;
    }
    return &t->transport;
}
