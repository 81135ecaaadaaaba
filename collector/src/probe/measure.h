/* The measurements of a probe. Each is one line of text. Rank 0 reads it on its standard input and sends it to the
 * ranks that take part; all other ranks sleep. So the caller (analysis/hopscope/machine/probe) chooses the measurements
 * and their number.
 *
 *   pingpong BYTES COUNT LIMIT A:B ...
 *       A sends to B, and B answers with as many bytes. Reports the time of each round trip. There are at most COUNT
 *       round trips; from the third on, none begins after LIMIT ns. Several pairs run at once; a rank is in one pair.
 *   gap BYTES MESSAGES COUNT A:B,C ...
 *       A sends MESSAGES messages to B, C and so on in rotation, as fast as it can, and waits until all receivers have
 *       confirmed that their messages have arrived. Then it repeats this with three times as many messages. Reports the
 *       difference of both times, COUNT times. Several senders begin together; a rank is named once.
 *   overhead BYTES COUNT DELAY A:B
 *       The delayed reply: the time that A spends in MPI to send a message, and to receive one that has been on its way
 *       for DELAY ns. Reports both, alternately, COUNT times.
 *   combine BYTES COUNT OPERATION TYPE A
 *       MPI_Reduce_local of this many bytes.
 *   collective BYTES COUNT OPERATION A:B,C ...
 *       A collective of the MPI library over A, B, C and so on, with A as the root: barrier, bcast, reduce, allreduce,
 *       allgather. BYTES: the greater of the bytes that a rank sends and receives. All ranks begin at one time and
 *       report to A when they ended. Reports the time until the last rank ended, COUNT times. Without a common begin,
 *       ranks that need not wait for A would begin the next collective too early.
 */
#ifndef HOPSCOPE_PROBE_MEASURE_H
#define HOPSCOPE_PROBE_MEASURE_H

#include "probe/command.h"
#include "probe/times.h"

/* Runs this rank's part of a measurement. Ranks that measure add their times. */
void probe_measure(const struct probe_command *command, int rank, struct probe_times *times);

#endif
