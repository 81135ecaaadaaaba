/* Tests and probes in a loop.
 *
 * A polling program would fill its spool with unsuccessful calls. So unsuccessful polls with no other record between
 * them share one pair of enter and leave, whatever their functions and call sites, and each poll updates the pair. A
 * pause of up to POLL_GAP_NS between two polls counts as polling, a longer one as computing. After a longer pause the
 * pair moves: it ends with the last poll and is as long as all its polls together. It does so for POLL_WINDOW_NS, then
 * a new pair begins. If a poll succeeds, it takes over the polls before it since the last longer pause: its call begins
 * with the first of them.
 *
 * Sleeps in a pause (sleeps.c) are polling, too, and so is a pause of which all but POLL_AWAKE_SHARE is sleep. */
#ifndef HOPSCOPE_COMPLETIONS_H
#define HOPSCOPE_COMPLETIONS_H

#include "wrappers/call.h"

enum { POLL_GAP_NS = 5000, POLL_WINDOW_NS = 10000000, POLL_AWAKE_SHARE = 8 /* one in so many */ };

/* Call it after call_open, if the poll was unsuccessful. Ends the wrapper. */
int poll_failed(struct call *call);
/* Call it if the poll succeeded. Records its enter and returns the timestamp for its leave. */
uint64_t poll_succeeded(struct call *call);
/* Ends a poll that completes nothing. flag: the call's flag or count of completions, not positive if unsuccessful. */
int poll_leave(struct call *call, const int *flag);

#endif
