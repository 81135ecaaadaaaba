/* Records tests and probes in a loop (polls).
 *
 * A polling program would fill its spool with unsuccessful calls. So successive unsuccessful polls share one pair of
 * enter and leave, which each poll updates. Their functions and call sites may differ. Only the MPI library's hops may
 * be recorded between them; any other record ends the pair.
 *
 * A pause of up to POLL_GAP_NS between two polls counts as polling, a longer pause as computing. After a longer pause,
 * a poll still joins the pair if the pair's first poll began at most POLL_WINDOW_NS before it; otherwise it begins a
 * new pair. When a poll joins after a longer pause, the pair moves: it now ends with this poll, and its duration is
 * that of the polling without the longer pauses.
 *
 * If a poll succeeds, its call begins with the first poll after the last longer pause. The polls before that pause stay
 * in the pair.
 *
 * The part of a pause in which the thread sleeps (sleeps.c) counts as polling. The rest of the pause counts as polling
 * too if it is at most 1/POLL_AWAKE_SHARE of the sleep. */
#ifndef HOPSCOPE_COMPLETIONS_H
#define HOPSCOPE_COMPLETIONS_H

#include "wrappers/call.h"

enum { POLL_GAP_NS = 5000, POLL_WINDOW_NS = 10000000, POLL_AWAKE_SHARE = 8 };

/* Ends the call of an unsuccessful poll, after call_open. Returns the error that the wrapper returns. */
int poll_failed(struct call *call);
/* Records the enter of a successful poll. Returns the timestamp for its leave. */
uint64_t poll_succeeded(struct call *call);
/* Ends the call of a poll that can complete no request, such as a probe. *flag: the call's flag; 0: unsuccessful. */
int poll_leave(struct call *call, const int *flag);

#endif
