/* Messages through a window of shared memory: which are in flight, and how they advance. Both ends of shm_window.h. */
#ifndef HOPSCOPE_SHM_MESSAGES_H
#define HOPSCOPE_SHM_MESSAGES_H

#include "engine/shm_window.h"
#include "engine/transport.h"

/* A message that arrived before its receive was posted and was moved aside to free its slot. */
struct held {
    struct held *next;
    uint64_t number;
    uint32_t tag;
    int64_t bytes;
    char data[]; /* only of a short message */
};

struct peer {
    struct window_channel *out, *in;
    uint64_t sent, freed; /* in the outgoing channel: messages sent, and how many of them were last seen freed */
    uint64_t stuck_at;    /* the poll in which its channel had no room */
    int queued;           /* messages waiting for room */
    uint64_t taken;       /* of the incoming channel */
    uint32_t gone;        /* bit i: message taken + 1 + i has been taken too */
    bool granting;        /* only one long message at a time */
    struct held *held;
};

struct coming {
    struct message m;
    uint64_t number; /* of a long message; 0: not found yet */
    int lane;        /* -1: not granted yet */
    int piece, error;
    int64_t bytes, done;
    char *to; /* where the pieces go; NULL: discarded */
};

struct going {
    struct message m;
    uint64_t number; /* 0: waiting for room in the channel */
    int lane;        /* -1: not granted yet */
    int piece, error;
    int64_t bytes, done;
    const char *from;
};

/* The transport, as both its ends see it. */
struct transport_shm {
    struct transport transport; /* first: the two share their address */
    struct shm_window window;
    struct transport *mpi;
    int by_mpi; /* MPI messages in flight */
    int ranks;
    struct peer *peers;
    bool lanes_taken[WINDOW_LANES];
    int capacity, coming_count, going_count, failed;
    struct coming *coming;
    struct going *going;
    struct completion *done;
    uint64_t polls;
};

/* shm_sending.c. True: the message is already sent. */
bool shm_send(struct transport_shm *transport, const struct message *message);
/* True when all of it has left. */
bool shm_advance_going(struct transport_shm *transport, struct going *going);

/* shm_receiving.c. True when the message has arrived. */
bool shm_advance_coming(struct transport_shm *transport, struct coming *coming);
/* Frees held messages that were never received. */
void shm_forget_held(struct peer *peer);

#endif
