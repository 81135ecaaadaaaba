/* The measurements of a probe. Rank 0 reads a command for each, one line of text, from its standard input and sends it
 * to the ranks that take part; all other ranks sleep. The caller (analysis/hopscope/machine/probe) chooses the
 * measurements and how often each runs.
 *
 *   pingpong BYTES COUNT LIMIT A:B ...
 *       A sends to B, and B answers with as many bytes. Reports the time of each round trip. There are at most COUNT
 *       round trips; from the third on, none begins after LIMIT ns. Several pairs run at once; a rank is in one pair.
 *   gap BYTES MESSAGES COUNT A:B,C ...
 *       A sends MESSAGES messages to B, C and so on in rotation, as fast as it can, and waits until all receivers have
 *       confirmed that their messages have arrived. Then it repeats this with three times as many messages. Reports the
 *       difference of the two times, COUNT times. The senders of several groups begin together. No rank is in two
 * groups. overhead BYTES COUNT DELAY A:B The delayed reply: the time that A spends in MPI to send a message, and to
 * receive one that has been on its way for DELAY ns. Reports both, alternately, COUNT times. combine BYTES COUNT
 * OPERATION TYPE A MPI_Reduce_local of BYTES bytes. Reports the time, COUNT times. collective BYTES COUNT OPERATION
 * A:B,C ... A collective of the MPI library over A, B, C and so on, with A as the root: barrier, bcast, reduce,
 * allreduce, allgather. BYTES: the bytes that a rank sends or receives, whichever is more. All ranks begin at the same
 * time and report their end to A. Reports the time until the last rank ended, COUNT times. Without a common begin,
 *       ranks that need not wait for A would begin the next collective too early.
 */
#ifndef HOPSCOPE_PROBE_MEASURE_H
#define HOPSCOPE_PROBE_MEASURE_H

#include "probe/command.h"
#include "probe/times.h"

/* Runs this rank's part of a measurement. Ranks that measure add their times. */
void probe_measure(const struct probe_command *command, int rank, struct probe_times *times);

#endif
