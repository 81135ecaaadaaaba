/* What becomes of recording the MPI library's messages, as a line of the definitions. */
#ifndef HOPSCOPE_NATIVE_OUTCOME_H
#define HOPSCOPE_NATIVE_OUTCOME_H

#include "comm/comm.h"

/* Nothing is recorded; rank 0 says why. */
void outcome_off(int rank, const char *why_not);
/* Why the messages of the blocking collective that has ended on comm are not all its own, or why it has none; 0: there
 * is nothing to say. set_up: what to say if the library made or found communicators of its own. */
uint32_t outcome_reason(const struct comm *comm, bool has_payload, const char *set_up);
/* The same for a nonblocking or persistent one that has begun. not_looked_at: what to say of any, always the same text;
 * NULL: their messages are recorded. */
uint32_t outcome_started_reason(const struct comm *comm, uint64_t seq, bool has_payload, const char *not_looked_at);
/* At the end: the messages that are no hops. unknown: those besides subject_counts(); lost: ends without a record. */
void outcome_counts(uint64_t unknown, uint64_t lost);

#endif
