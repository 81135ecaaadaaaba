/* Records the ends of messages inside Open MPI as hops. Each message has two ends, one on the sender and one on the
 * receiver. */
#ifndef HOPSCOPE_HOPS_H
#define HOPSCOPE_HOPS_H

#include "native/openmpi/slots.h"

/* Begins to record ends. tree: the id of the definition that the records name. threads: several threads may be in the
 * library at once. False if memory runs out. */
bool hops_start(uint16_t tree, int processes, bool threads);
/* Call it before this thread ends. Its watched requests are then left to the threads that complete them. */
void hops_leave_thread(void);

/* Returns an end that has not begun yet. */
struct hop_end hop_of(const struct subject *subject, bool sends, int peer, size_t count, MPI_Datatype type);
/* Records that an end begins now. */
void hop_begin(struct hop_end *hop);
/* Records an end that is over. blocked: the rank waited for it since its begin. */
void hop_finish(const struct hop_end *hop, bool blocked);
/* Ties an end to a request. Records that the end is over when the request is complete: now if it is already, otherwise
 * when the library calls hop_completed. */
void hop_watch(struct hop_end *hop, struct openmpi_request *request);
/* Ties an end to a persistent request. The end begins at hop_start, and is over when the request is complete. */
void hop_prepare(const struct hop_end *hop, struct openmpi_request *request);
/* Begins the end of a request that is about to be started. */
void hop_start(struct openmpi_request *request);

/* The callback that the collector sets in requests. */
int hop_completed(struct openmpi_request *request);

static inline bool hop_is_watched(struct openmpi_request *request) {
    openmpi_completed **callback = openmpi_word(request, openmpi_layout.callback);
    return __atomic_load_n(callback, __ATOMIC_ACQUIRE) == hop_completed;
}

/* True if any of the requests has the callback. */
static inline bool hops_among(size_t count, struct openmpi_request **requests) {
    for (size_t i = 0; i < count; i++)
        if (__builtin_expect(hop_is_watched(requests[i]), 0))
            return true;
    return false;
}

/* Call these two before and after the library waits for requests. hop_wait_begin returns NULL if all requests are
 * complete or none is recorded. */
struct hop_wait *hop_wait_begin(size_t count, struct openmpi_request **requests, bool waits_for_all);
void hop_wait_end(struct hop_wait *wait, size_t count);

#endif
