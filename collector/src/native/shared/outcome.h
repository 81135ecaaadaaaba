/* The outcome of recording the MPI library's messages, as definitions. */
#ifndef HOPSCOPE_NATIVE_OUTCOME_H
#define HOPSCOPE_NATIVE_OUTCOME_H

#include "comm/comm.h"
#include "native/shared/library.h"

/* Nothing is recorded. Rank 0 prints the reason. */
void outcome_off(int rank, const char *why_not);
/* The reason why the messages of the blocking collective that has ended on comm are not all its own, or why it has
 * none. 0: no such reason. */
uint32_t outcome_reason(const struct comm *comm, bool has_payload);
/* outcome_reason for a nonblocking or persistent collective that has begun. */
uint32_t outcome_started_reason(const struct comm *comm, uint64_t seq, bool has_payload);
/* Call it at the end. Defines the numbers of messages that are not recorded as hops. */
void outcome_counts(struct native_losses losses);

#endif
