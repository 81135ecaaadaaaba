/* Messages through a window of shared memory: what is under way, and moving it on. The two ends of shm_window.h. */
#ifndef HOPSCOPE_SHM_MESSAGES_H
#define HOPSCOPE_SHM_MESSAGES_H

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

/* The transport, as its two ends see it. */
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

/* shm_sending.c. True: the message is sent already. */
bool shm_send(struct transport_shm *transport, const struct message *message);
/* True when nothing of it is here any more. */
bool shm_advance_going(struct transport_shm *transport, struct going *going);

/* shm_receiving.c. True when the message is here. */
bool shm_advance_coming(struct transport_shm *transport, struct coming *coming);
/* Messages that nobody has asked for. */
void shm_forget_held(struct peer *peer);

#endif
