/* Records the ends of messages inside MPICH as hops. Each message has two ends, one on the sender and one on the
 * receiver. An end begins when the library begins to send or receive, and is over when the library has waited for it.
 */
#ifndef HOPSCOPE_MPICH_HOPS_H
#define HOPSCOPE_MPICH_HOPS_H

#include "native/mpich/inside.h"
#include "native/shared/records.h"

/* Begins to record ends. tree: the id of the definition that the records name. threads: several threads may be in the
 * library at once. False if memory runs out. */
bool mpich_hops_start(uint16_t tree, const struct mpich_release *release, int processes, bool threads);
/* Call it before the library is finalized. */
void mpich_hops_stop(void);

/* Begins the end of a message, with its record. If the id of the result is 0, the end is not recorded, and the
 * functions below ignore it. */
struct native_end mpich_end_begin(bool sends, intptr_t count, int type, int peer, int tag,
                                  const struct mpich_comm *comm);
/* Ties an end to a request: the end is over when this thread has waited for the request. */
void mpich_end_watch(const struct native_end *end, struct mpich_request *request);

/* The ends of a helper that sends, receives, or both, and itself waits. Call the two functions before and after it. */
struct mpich_blocking {
    struct native_end send, receive;
};
void mpich_blocking_begin(struct mpich_blocking *blocking);
void mpich_blocking_end(struct mpich_blocking *blocking);

/* Call these two before and after the library's wait for a request. mpich_wait_begin returns true if the request is
 * recorded and not complete; only then call mpich_wait_end. */
bool mpich_wait_begin(struct mpich_request *request);
void mpich_wait_end(struct mpich_request *request);

/* Number of ends for which the library never waited, or for which the pool had no slot. */
uint64_t mpich_hops_lost(void);

#endif
