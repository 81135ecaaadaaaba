/* The outcome of recording the MPI library's messages, as definitions. */
#ifndef HOPSCOPE_NATIVE_OUTCOME_H
#define HOPSCOPE_NATIVE_OUTCOME_H

#include "comm/comm.h"
#include "native/shared/library.h"

/* Defines that nothing is recorded. Rank 0 prints the reason. */
void outcome_off(int rank, const char *why_not);
/* The reason for the blocking collective that has ended on comm: why its messages are not all its own, or why it has
 * none. 0: no such reason. */
uint32_t outcome_reason(const struct comm *comm, bool has_payload);
/* Like outcome_reason, for a nonblocking or persistent collective that has begun. */
uint32_t outcome_started_reason(const struct comm *comm, uint64_t seq, bool has_payload);
/* Defines the numbers of messages that were not recorded as hops. Call it at the end. */
void outcome_counts(struct native_losses losses);

#endif
