/* Tests and probes in a loop.
 *
 * A polling program would fill its spool with unsuccessful calls. So unsuccessful polls share one pair of enter and
 * leave, if no record but the MPI library's hops lies between them. Their functions and call sites may differ. Each
 * poll updates the pair.
 *
 * A pause of up to POLL_GAP_NS between two polls counts as polling, a longer one as computing. A poll after a longer
 * pause still joins the pair if the pair's first poll began at most POLL_WINDOW_NS before it; if not, a new pair
 * begins. A poll that joins after a longer pause moves the pair: the pair then ends with this poll, and is as long as
 * the polling in it, without the longer pauses.
 *
 * If a poll succeeds, its call begins with the first poll after the last longer pause. Earlier polls keep the pair.
 *
 * Sleep in a pause (sleeps.c) counts as polling. So does the rest of the pause, if it is at most one part in
 * POLL_AWAKE_SHARE of the sleep. */
#ifndef HOPSCOPE_COMPLETIONS_H
#define HOPSCOPE_COMPLETIONS_H

#include "wrappers/call.h"

enum { POLL_GAP_NS = 5000, POLL_WINDOW_NS = 10000000, POLL_AWAKE_SHARE = 8 /* one part in 8 */ };

/* Call it after call_open, if the poll was unsuccessful. Ends the wrapper. */
int poll_failed(struct call *call);
/* Call it if the poll succeeded. Records its enter and returns the timestamp for its leave. */
uint64_t poll_succeeded(struct call *call);
/* Ends a poll that completes nothing. flag: the call's flag or count of completions, not positive if unsuccessful. */
int poll_leave(struct call *call, const int *flag);

#endif
