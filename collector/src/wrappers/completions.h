/* Tests and probes in a loop.
 *
 * A program that polls would fill its spool with calls that found nothing. Failing polls of one function from one
 * place, each within POLL_GAP_NS of the one before, are one pair of enter and leave, whose leave is stamped anew by
 * each; the poll that succeeds right after them belongs to it. So the pair covers what was computed between polls, but
 * never more than the gap at a time.
 */
#ifndef HOPSCOPE_COMPLETIONS_H
#define HOPSCOPE_COMPLETIONS_H

#include "wrappers/call.h"

enum { POLL_GAP_NS = 5000 };

/* After call_open: the poll found nothing. Ends the wrapper. */
int poll_failed(struct call *call);
/* It did: records its enter. Returns the stamp for its leave. */
uint64_t poll_succeeded(struct call *call);

#endif
