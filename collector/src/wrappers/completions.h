/* Tests and probes in a loop.
 *
 * A polling program would fill its spool with unsuccessful calls. Failed polls of one function from one call site, each
 * within POLL_GAP_NS of the previous one, share one pair of enter and leave, whose leave each poll updates. A poll that
 * succeeds right after them belongs to the pair too. So the pair includes computation between polls, but never more
 * than the gap at a time. */
#ifndef HOPSCOPE_COMPLETIONS_H
#define HOPSCOPE_COMPLETIONS_H

#include "wrappers/call.h"

enum { POLL_GAP_NS = 5000 };

/* Call it after call_open, if the poll was unsuccessful. Ends the wrapper. */
int poll_failed(struct call *call);
/* Call it if the poll succeeded. Records its enter and returns the timestamp for its leave. */
uint64_t poll_succeeded(struct call *call);
/* Ends a poll that completes nothing. flag: the call's flag or count of completions. */
int poll_leave(struct call *call, const int *flag);

#endif
