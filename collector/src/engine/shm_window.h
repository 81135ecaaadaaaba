/* Memory that the members of a communicator share with those of them that run on the same machine.
 *
 *   window = members^2 channels (channel[from][to]), then members * WINDOW_LANES lanes, which belong to their receiver
 *
 * A channel carries short messages, and says that a long one wants to come. A long one goes in pieces through the
 * buffers of a lane, which its receiver grants when it has a place for it, so no message ever waits for another one to
 * be received. Two buffers do where each rank has a processor (the double buffers of V. Tipparaju, J. Nieplocha, D.
 * Panda: Fast collective operations using shared and remote memory access protocols on clusters, IPDPS 2003). Where
 * ranks outnumber processors the two ends take turns, and each turn moves what the lane holds: there it has more, where
 * they are not so many that it would be much memory.
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
    WINDOW_LINE = 64, /* what caches move */
    WINDOW_SLOTS = 8,
    WINDOW_SLOT_BYTES = 2048,
    WINDOW_SHORT_BYTES = WINDOW_SLOT_BYTES - 24, /* the longest message that fits a slot */
    WINDOW_LANES = 2,
    WINDOW_PIECE_BYTES = 32768,
    WINDOW_BUFFERS = 2, /* of a lane */
    WINDOW_BUFFERS_IF_CROWDED = 16,
    WINDOW_MOST_CROWDED = 16, /* members up to which there are so many: 16 MiB of lanes in all */
};

struct window_slot {
    _Atomic uint64_t number; /* of the message in it, from 1; stored last */
    uint32_t tag, unused;
    int64_t bytes; /* more than WINDOW_SHORT_BYTES: it waits for a lane */
    char data[WINDOW_SHORT_BYTES];
};

/* Each field that another side writes has a line of its own. */
struct window_channel {
    _Alignas(WINDOW_LINE) struct window_slot slots[WINDOW_SLOTS];
    _Alignas(WINDOW_LINE) _Atomic uint64_t freed;   /* the receiver's: slots that may be used again, counted */
    _Alignas(WINDOW_LINE) _Atomic uint64_t granted; /* the receiver's: number << 8 | lane */
};

struct window_buffer {
    _Alignas(WINDOW_LINE) _Atomic uint64_t bytes; /* in data; 0: empty */
    _Alignas(WINDOW_LINE) char data[WINDOW_PIECE_BYTES];
};

struct shm_window {
    struct shared_file file; /* not mapped: nobody to share it with */
    int members, own;        /* on this machine; the place of this rank among them */
    int buffers;             /* of a lane; the same for all members */
    int *member_of_rank;     /* -1: on another machine */
};

/* Maps the window; local. False if it cannot be had: then no member may use its own. */
bool shm_window_open(struct shm_window *window, const struct comm *comm, const struct neighbors *neighbors);
void shm_window_close(struct shm_window *window);

static inline struct window_channel *window_channel(const struct shm_window *w, int from, int to) {
    return (struct window_channel *)w->file.memory + (size_t)from * (size_t)w->members + (size_t)to;
}

/* The buffers of a lane, in the order in which pieces go through them. */
static inline struct window_buffer *window_lane(const struct shm_window *w, int receiver, int lane) {
    size_t members = (size_t)w->members;
    struct window_buffer *first = (struct window_buffer *)((struct window_channel *)w->file.memory + members * members);
    return first + ((size_t)receiver * WINDOW_LANES + (size_t)lane) * (size_t)w->buffers;
}

#endif
