/* Memory that members of a communicator on one machine share.
 *
 *  window = members^2 channels (channel[sender][receiver]), then members * WINDOW_LANES lanes (lane[receiver][i])
 *
 * A channel carries short messages and the rendezvous requests (RTS) of long ones. A long message goes in pieces
 * through the buffers of a lane. Its receiver grants the lane when it has room for the message, so no message waits
 * until another one is received.
 *
 * Two buffers suffice if each rank has a processor (the double buffers of V. Tipparaju, J. Nieplocha, D. Panda: Fast
 * collective operations using shared and remote memory access protocols on clusters, IPDPS 2003). If ranks outnumber
 * processors, sender and receiver run alternately, and each moves at most one lane's content before it must yield. So a
 * lane then has more buffers, unless so many members would need too much memory.
 */
#ifndef HOPSCOPE_SHM_WINDOW_H
#define HOPSCOPE_SHM_WINDOW_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "comm/comm.h"
#include "engine/neighbors.h"
#include "engine/shared_file.h"

enum {
    WINDOW_LINE = 64, /* a cache line */
    WINDOW_SLOTS = 8,
    WINDOW_SLOT_BYTES = 2048,
    WINDOW_SHORT_BYTES = WINDOW_SLOT_BYTES - 24, /* the longest message that fits a slot */
    WINDOW_LANES = 2,
    WINDOW_PIECE_BYTES = 32768,
    WINDOW_BUFFERS = 2, /* number of buffers in a lane */
    WINDOW_BUFFERS_IF_CROWDED = 16,
    WINDOW_MOST_CROWDED = 16, /* most members with the larger lanes, which then take 16 MiB in all */
};

struct window_slot {
    _Atomic uint64_t number; /* number of the message in the slot, from 1; stored last */
    uint32_t tag, unused;
    int64_t bytes; /* if above WINDOW_SHORT_BYTES, the message waits for a lane */
    char data[WINDOW_SHORT_BYTES];
};

/* Fields that the two sides write are in different cache lines. */
struct window_channel {
    _Alignas(WINDOW_LINE) struct window_slot slots[WINDOW_SLOTS];
    _Alignas(WINDOW_LINE) _Atomic uint64_t freed_count; /* by the receiver: number of slots freed so far */
    _Alignas(WINDOW_LINE) _Atomic uint64_t grant;       /* by the receiver: number << 8 | lane */
};

struct window_buffer {
    _Alignas(WINDOW_LINE) _Atomic uint64_t bytes; /* bytes in data; 0: empty */
    _Alignas(WINDOW_LINE) char data[WINDOW_PIECE_BYTES];
};

struct shm_window {
    struct shared_file file; /* not mapped if no other member is on this machine */
    int members, own_index;  /* number of members on this machine; this rank's index among them */
    int buffers;             /* number of buffers in a lane, equal for all members */
    int *member_of_rank;     /* -1: on another machine */
};

/* Maps the window. Sends no messages. If it fails on one member, no member may use its window. */
bool shm_window_open(struct shm_window *window, const struct comm *comm, const struct neighbors *neighbors);
void shm_window_close(struct shm_window *window);

static inline struct window_channel *window_channel(const struct shm_window *w, int sender, int receiver) {
    return (struct window_channel *)w->file.memory + (size_t)sender * (size_t)w->members + (size_t)receiver;
}

/* A lane's buffers, in the order in which pieces use them. */
static inline struct window_buffer *window_lane(const struct shm_window *w, int receiver, int lane) {
    size_t members = (size_t)w->members;
    struct window_buffer *first = (struct window_buffer *)((struct window_channel *)w->file.memory + members * members);
    return first + ((size_t)receiver * WINDOW_LANES + (size_t)lane) * (size_t)w->buffers;
}

#endif
