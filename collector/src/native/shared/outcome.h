/* What becomes of recording the MPI library's messages, as a line of the definitions. */
#ifndef HOPSCOPE_NATIVE_OUTCOME_H
#define HOPSCOPE_NATIVE_OUTCOME_H

#include "comm/comm.h"
#include "native/shared/library.h"

/* Nothing is recorded; rank 0 says why. */
void outcome_off(int rank, const char *why_not);
/* Why the messages of the blocking collective that has ended on comm are not all its own, or why it has none; 0: there
 * is nothing to say. */
uint32_t outcome_reason(const struct comm *comm, bool has_payload);
/* The same for a nonblocking or persistent one that has begun. */
uint32_t outcome_started_reason(const struct comm *comm, uint64_t seq, bool has_payload);
/* At the end: the messages that are no hops. */
void outcome_counts(struct native_losses losses);

#endif
