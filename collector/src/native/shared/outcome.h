/* Writes definitions that say how complete the recording of the MPI library's messages is, and why. */
#ifndef HOPSCOPE_NATIVE_OUTCOME_H
#define HOPSCOPE_NATIVE_OUTCOME_H

#include "comm/comm.h"
#include "native/shared/library.h"

/* Writes that the library's messages are not recorded, and why. Rank 0 also prints the reason. */
void outcome_off(int rank, const char *why_not);
/* Returns the id of a reason for the blocking collective that has just ended on comm: why some of its messages may not
 * be its own, or why it has none. 0: no such reason. */
uint32_t outcome_reason(const struct comm *comm, bool has_payload);
/* Like outcome_reason, for a nonblocking or persistent collective that has begun. */
uint32_t outcome_started_reason(const struct comm *comm, uint64_t seq, bool has_payload);
/* Writes the numbers of messages that were not recorded as hops. Call it at the end of the run. */
void outcome_counts(struct native_losses losses);

#endif
