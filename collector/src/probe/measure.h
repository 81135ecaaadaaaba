/* What the ranks of a probe measure. Each measurement is one line of text that rank 0 reads on its standard input and
 * hands to the ranks that take part; all others sleep. So the choice of what to measure, and how often, is the
 * caller's (analysis/hopscope/probe).
 *
 *   pingpong BYTES COUNT LIMIT A:B ...
 *       A sends to B, and B answers with as many bytes: the time of each round trip, at most COUNT of them, and of
 *       more than two none begun after LIMIT ns. Several pairs do so at once; no rank is in two.
 *   gap BYTES MESSAGES COUNT A:B,C ...
 *       A sends MESSAGES messages to B, C and so on in turn, as fast as it can, and waits until they all have said
 *       that theirs are there; then the same with three times as many. The difference of both times, COUNT times.
 *       Several senders begin together; no rank is named twice.
 *   overhead BYTES COUNT DELAY A:B
 *       The delayed reply: what A spends in MPI to send a message, and to receive one that has been on its way for
 *       DELAY ns. COUNT times both, in turn.
 *   combine BYTES COUNT OPERATION TYPE A
 *       MPI_Reduce_local of so many bytes.
 *   collective BYTES COUNT OPERATION A:B,C ...
 *       A collective of the MPI library over A, B, C and so on, A being the root: barrier, bcast, reduce, allreduce,
 *       allgather. BYTES: the greater of what a rank sends and receives. All begin at one time and report to A when
 *       they ended: the time until the last one did, COUNT times. Without a common begin, ranks that A does not hold
 *       up would be a collective ahead of it.
 */
#ifndef HOPSCOPE_PROBE_MEASURE_H
#define HOPSCOPE_PROBE_MEASURE_H

#include "probe/command.h"
#include "probe/times.h"

/* This rank's part. Times are added where it measures. */
void probe_measure(const struct probe_command *command, int rank, struct probe_times *times);

#endif
