/* Tests and probes in a loop.
 *
 * A polling program would fill its spool with calls that found nothing. Failed polls of one function from one place,
 * each within POLL_GAP_NS of the one before, share one pair of enter and leave, whose leave each poll updates; a poll
 * that succeeds right after them belongs to the pair too. So the pair includes computation between polls, but never
 * more than the gap at a time.
 */
#ifndef HOPSCOPE_COMPLETIONS_H
#define HOPSCOPE_COMPLETIONS_H

#include "wrappers/call.h"

enum { POLL_GAP_NS = 5000 };

/* Call it after call_open, if the poll found nothing. Ends the wrapper. */
int poll_failed(struct call *call);
/* Call it if the poll found something: records its enter and returns the timestamp for its leave. */
uint64_t poll_succeeded(struct call *call);
/* Ends a poll that only looks. found: a flag, or a number found. */
int poll_leave(struct call *call, const int *found);

#endif
