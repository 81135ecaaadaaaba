/* The data of requests' callbacks, in slots of the pool. A thread that comes too late recognises by a slot's use count
 * that the slot has been reused. */
#ifndef HOPSCOPE_NATIVE_SLOTS_H
#define HOPSCOPE_NATIVE_SLOTS_H

#include "native/openmpi/tables.h"
#include "native/shared/pool.h"
#include "native/shared/records.h"

/* One end of a message. */
struct hop_end {
    struct native_end end;
    bool from_any_source; /* MPI_ANY_SOURCE: the source is known at completion */
    struct subject_ranks ranks;
};

/* The library's wait for requests. It ends when `open_count` of the incomplete requests have completed. */
struct hop_wait {
    uint32_t use;        /* odd while the wait lasts */
    uint32_t open_count; /* number of completions until it ends */
    bool is_ended;       /* it has ended, and its end is recorded */
    const void *thread;
};

enum slot_state {
    SLOT_OF_CALLBACK, /* the callback returns the slot to the pool */
    SLOT_WATCHED,     /* the thread that took the slot returns it */
    SLOT_CALLED_BACK, /* watched, and the callback was called */
};

struct slot {
    struct pool_slot in_pool;
    uint32_t state;
    uint32_t wait_use;
    struct hop_wait *wait; /* the wait for this request; NULL: none */
    struct hop_end hop;
    openmpi_completed *previous_callback;
    void *previous_data;
    struct openmpi_request *request;
    struct slot *older;       /* the next slot in its thread's watch list */
    struct hop_wait own_wait; /* only in the slot of a wait */
};

/* For the callback: true if it must return the slot to the pool. Otherwise the slot may belong to another request from
 * now on.
 */
static inline bool slot_called_back(struct slot *slot) {
    return __atomic_exchange_n(&slot->state, SLOT_CALLED_BACK, __ATOMIC_ACQ_REL) == SLOT_OF_CALLBACK;
}

static inline bool slot_is_called_back(const struct slot *slot) {
    return __atomic_load_n(&slot->state, __ATOMIC_ACQUIRE) == SLOT_CALLED_BACK;
}

/* For the watching thread: leaves the slot to the callback. False: the callback was already called. */
static inline bool slot_leave(struct slot *slot) {
    uint32_t watched = SLOT_WATCHED;
    return __atomic_compare_exchange_n(&slot->state, &watched, SLOT_OF_CALLBACK, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_ACQUIRE);
}

#endif
