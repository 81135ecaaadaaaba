/* The ends of messages inside the MPI library, as records of hops. */
#ifndef HOPSCOPE_HOPS_H
#define HOPSCOPE_HOPS_H

#include "native/openmpi/places.h"

/* Records them under this definition; threads: several may be in the library at once. False if memory runs out. */
bool hops_start(uint16_t tree, int processes, bool threads);
/* Before this thread ends: what it watches is left to those who complete it. */
void hops_leave_thread(void);

/* An end that has not begun yet. */
struct hop_end hop_of(const struct subject *subject, bool sends, int peer, size_t count, MPI_Datatype type);
/* It begins now. */
void hop_begin(struct hop_end *hop);
/* It is over; blocked: the rank waited for it since its begin. */
void hop_finish(const struct hop_end *hop, bool blocked);
/* It is over when the request is complete: now, or when the library calls back. */
void hop_watch(struct hop_end *hop, struct openmpi_request *request);
/* It begins when the request is started, and it is over when that is complete. */
void hop_prepare(const struct hop_end *hop, struct openmpi_request *request);
/* The request is about to be started. */
void hop_start(struct openmpi_request *request);

/* What such a request calls. */
int hop_completed(struct openmpi_request *request);

static inline bool hop_is_ours(struct openmpi_request *request) {
    openmpi_completed **callback = openmpi_word(request, openmpi_layout.callback);
    return __atomic_load_n(callback, __ATOMIC_ACQUIRE) == hop_completed;
}

/* Whether any of them is watched. */
static inline bool hops_among(size_t count, struct openmpi_request **requests) {
    for (size_t i = 0; i < count; i++)
        if (__builtin_expect(hop_is_ours(requests[i]), 0))
            return true;
    return false;
}

/* The library begins to wait for requests. NULL: it need not wait, or for nothing that is recorded. */
struct hop_wait *hop_wait_begin(size_t count, struct openmpi_request **requests, bool for_all);
void hop_wait_end(struct hop_wait *wait, size_t count);

#endif
