/* What the callbacks of requests need, in places of the pool. A thread that comes too late to one learns by the number
 * of its use that it has been reused.
 */
#ifndef HOPSCOPE_NATIVE_PLACES_H
#define HOPSCOPE_NATIVE_PLACES_H

#include "native/openmpi/tables.h"
#include "native/shared/pool.h"
#include "native/shared/records.h"

/* One end of a message. */
struct hop_end {
    struct native_end end;
    bool from_any; /* MPI_ANY_SOURCE: the source is known when it is complete */
    struct subject_ranks ranks;
};

/* The library's waiting for requests. It ends when `left` of those that are not complete have completed. */
struct hop_wait {
    uint32_t use;  /* odd while the wait lasts */
    uint32_t left; /* completions until it ends */
    bool ended;    /* and its end is recorded */
    const void *thread;
};

enum place_state {
    PLACE_OF_CALLBACK, /* the callback gives it back */
    PLACE_WATCHED,     /* the thread that took it does */
    PLACE_CALLED_BACK, /* watched, and the callback has come */
};

struct place {
    struct pool_place in_pool;
    uint32_t state;
    uint32_t wait_use;
    struct hop_wait *wait; /* that waits for it, or NULL */
    struct hop_end hop;
    openmpi_completed *earlier;
    void *earlier_data;
    struct openmpi_request *request;
    struct place *older; /* that its thread watches */
    struct hop_wait own; /* if the place is a wait's */
};

/* By the callback: whether it must give the place back. Else the place may be another request's from now on. */
static inline bool place_called_back(struct place *place) {
    return __atomic_exchange_n(&place->state, PLACE_CALLED_BACK, __ATOMIC_ACQ_REL) == PLACE_OF_CALLBACK;
}

static inline bool place_is_called_back(const struct place *place) {
    return __atomic_load_n(&place->state, __ATOMIC_ACQUIRE) == PLACE_CALLED_BACK;
}

/* By the thread that watches: leaves the place to the callback. False: that has come already. */
static inline bool place_leave(struct place *place) {
    uint32_t watched = PLACE_WATCHED;
    return __atomic_compare_exchange_n(&place->state, &watched, PLACE_OF_CALLBACK, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_ACQUIRE);
}

#endif
