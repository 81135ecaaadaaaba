/* The data of requests' callbacks, in slots of the pool. A thread that comes too late to a slot recognises by its use
 * count that it has been reused. */
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

/* The library's wait for requests. It ends when `open_count` of the incomplete ones have completed. */
struct hop_wait {
    uint32_t use;        /* odd while the wait lasts */
    uint32_t open_count; /* completions until it ends */
    bool is_ended;       /* and its end is recorded */
    const void *thread;
};

enum slot_state {
    SLOT_OF_CALLBACK, /* the callback gives it back */
    SLOT_WATCHED,     /* the thread that took it gives it back */
    SLOT_CALLED_BACK, /* watched, and the callback has come */
};

struct slot {
    struct pool_slot in_pool;
    uint32_t state;
    uint32_t wait_use;
    struct hop_wait *wait; /* the wait for this request, or NULL */
    struct hop_end hop;
    openmpi_completed *previous_callback;
    void *previous_data;
    struct openmpi_request *request;
    struct slot *older;       /* the next one of its thread's watch list */
    struct hop_wait own_wait; /* if the slot is a wait's */
};

/* For the callback: true if it must give the slot back. Otherwise the slot may belong to another request from now on.
 */
static inline bool slot_called_back(struct slot *slot) {
    return __atomic_exchange_n(&slot->state, SLOT_CALLED_BACK, __ATOMIC_ACQ_REL) == SLOT_OF_CALLBACK;
}

static inline bool slot_is_called_back(const struct slot *slot) {
    return __atomic_load_n(&slot->state, __ATOMIC_ACQUIRE) == SLOT_CALLED_BACK;
}

/* For the watching thread: leaves the slot to the callback. False: the callback has already come. */
static inline bool slot_leave(struct slot *slot) {
    uint32_t watched = SLOT_WATCHED;
    return __atomic_compare_exchange_n(&slot->state, &watched, SLOT_OF_CALLBACK, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_ACQUIRE);
}

#endif
