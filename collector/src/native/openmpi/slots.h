/* The data of requests' callbacks and of waits, in slots of the pool. A slot may be reused while another thread still
 * has a pointer to its wait; that thread recognises this by the use count. */
#ifndef HOPSCOPE_NATIVE_SLOTS_H
#define HOPSCOPE_NATIVE_SLOTS_H

#include "native/openmpi/tables.h"
#include "native/shared/pool.h"
#include "native/shared/records.h"

/* One end of a message: its sender's or its receiver's. */
struct hop_end {
    struct native_end end;
    bool from_any_source; /* posted with MPI_ANY_SOURCE, so the source becomes known at completion */
    struct subject_ranks ranks;
};

/* A wait of the library for requests. It ends when `open_count` of the incomplete requests have completed. */
struct hop_wait {
    uint32_t use;        /* use count: grows by one at the begin and at the end of a wait, so it is odd during a wait */
    uint32_t open_count; /* number of completions until the wait ends */
    bool is_ended;       /* the wait has ended, and its end is recorded */
    const void *thread;
};

enum slot_state {
    SLOT_OF_CALLBACK, /* the callback must return the slot to the pool */
    SLOT_WATCHED,     /* the thread that took the slot must return it to the pool */
    SLOT_CALLED_BACK, /* as SLOT_WATCHED, and the callback was called */
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

/* Call it at the end of the callback. True if the callback must return the slot to the pool. If false, do not use the
 * slot any more: it may belong to another request already. */
static inline bool slot_called_back(struct slot *slot) {
    return __atomic_exchange_n(&slot->state, SLOT_CALLED_BACK, __ATOMIC_ACQ_REL) == SLOT_OF_CALLBACK;
}

static inline bool slot_is_called_back(const struct slot *slot) {
    return __atomic_load_n(&slot->state, __ATOMIC_ACQUIRE) == SLOT_CALLED_BACK;
}

/* Call it in the thread that watches the slot, to leave the slot to the callback. False if the callback was already
 * called. */
static inline bool slot_leave(struct slot *slot) {
    uint32_t watched = SLOT_WATCHED;
    return __atomic_compare_exchange_n(&slot->state, &watched, SLOT_OF_CALLBACK, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_ACQUIRE);
}

#endif
