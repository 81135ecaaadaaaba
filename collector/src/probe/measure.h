/* The measurements of a probe. Each is one line of text that rank 0 reads on its standard input and sends to the ranks
 * that take part; all other ranks sleep. So the caller (analysis/hopscope/machine/probe) chooses the measurements and
 * their number.
 *
 *   pingpong BYTES COUNT LIMIT A:B ...
 *       A sends to B, and B answers with as many bytes. Reports the time of each round trip: at most COUNT of them,
 * and, beyond the first two, none that would begin after LIMIT ns. Several pairs run at once; no rank is in two pairs.
 *   gap BYTES MESSAGES COUNT A:B,C ...
 *       A sends MESSAGES messages to B, C and so on in rotation, as fast as it can, and waits until all of them have
 *       confirmed that theirs have arrived; then it repeats this with three times as many. Reports the difference of
 *       both times, COUNT times. Several senders begin together; no rank is named twice.
 *   overhead BYTES COUNT DELAY A:B
 *       The delayed reply: the time that A spends in MPI to send a message, and to receive one that has been on its way
 *       for DELAY ns. Reports both, alternately, COUNT times.
 *   combine BYTES COUNT OPERATION TYPE A
 *       MPI_Reduce_local of this many bytes.
 *   collective BYTES COUNT OPERATION A:B,C ...
 *       A collective of the MPI library over A, B, C and so on, with A as the root: barrier, bcast, reduce, allreduce,
 *       allgather. BYTES: the greater of the bytes that a rank sends and receives. All ranks begin at one time and
 *       report to A when they ended. Reports the time until the last rank ended, COUNT times. Without a common begin,
 *       ranks that A does not delay would be a collective ahead of it.
 */
#ifndef HOPSCOPE_PROBE_MEASURE_H
#define HOPSCOPE_PROBE_MEASURE_H

#include "probe/command.h"
#include "probe/times.h"

/* Runs this rank's part of a measurement. The ranks that measure add times. */
void probe_measure(const struct probe_command *command, int rank, struct probe_times *times);

#endif
