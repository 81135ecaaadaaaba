/* The messages under way through shared memory (shm_window.h), at the sender's and at the receiver's end. */
#ifndef HOPSCOPE_SHM_MESSAGES_H
#define HOPSCOPE_SHM_MESSAGES_H

#include "engine/shm_window.h"
#include "engine/transport.h"

/* A message that arrived before its receive was posted and was moved aside to free its slot. */
struct early_message {
    struct early_message *next;
    uint64_t number;
    uint32_t tag;
    int64_t bytes;
    char data[]; /* only for a short message */
};

struct peer {
    struct window_channel *outgoing, *incoming;
    uint64_t sent_count;  /* number of messages put into the outgoing channel */
    uint64_t freed_count; /* how many of these the receiver had freed at the last poll */
    uint64_t stuck_poll;  /* the last poll in which the outgoing channel had no room */
    int queued_count;     /* messages waiting for room in the outgoing channel */
    uint64_t taken_count; /* all messages up to this number have been taken from the incoming channel */
    uint32_t taken_bits;  /* bit i: message taken_count + 1 + i has been taken too */
    bool is_granting;     /* a lane is granted to a long message of this peer; one at a time */
    struct early_message *early_messages;
};

struct pending_receive {
    struct message message;
    uint64_t number; /* number of the long message that it receives; 0: not found yet */
    int lane;        /* -1: not granted yet */
    int piece, error;
    int64_t bytes, done_bytes;
    char *destination; /* NULL: the pieces are discarded */
};

struct pending_send {
    struct message message;
    uint64_t number; /* 0: waiting for room in the channel */
    int lane;        /* -1: not granted yet */
    int piece, error;
    int64_t bytes, done_bytes;
    const char *source;
};

/* The transport, shared by both ends. */
struct transport_shm {
    struct transport transport; /* must be the first member: pointers to it are cast to the whole struct */
    struct shm_window window;
    struct transport *mpi; /* for peers on other machines */
    int mpi_message_count; /* number of MPI messages under way */
    int ranks;
    struct peer *peers;
    bool lane_is_taken[WINDOW_LANES];
    int capacity, receive_count, send_count, failed_count;
    struct pending_receive *receives;
    struct pending_send *sends;
    struct completion *completions;
    uint64_t polls;
};

/* shm_sending.c. Returns true if the message has left already. */
bool shm_send(struct transport_shm *transport, const struct message *message);
/* Returns true when the whole message has left. */
bool shm_advance_send(struct transport_shm *transport, struct pending_send *pending_send);

/* shm_receiving.c. Returns true when the message has arrived. */
bool shm_advance_receive(struct transport_shm *transport, struct pending_receive *pending_receive);
/* Frees the early messages that were never received. */
void shm_free_early_messages(struct peer *peer);

#endif
