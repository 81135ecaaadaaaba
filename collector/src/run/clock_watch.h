/* Measures clocks between the start and the end of a long run.
 *
 * All ranks must decide alike if they measure, and no rank may wait for one that never takes part. So the collector
 * measures only right after an MPI_Barrier, or an MPI_Allreduce with data, on MPI_COMM_WORLD. No rank leaves these
 * before all have entered, so all ranks get to this point.
 *
 * A checkpoint is a sequence number on MPI_COMM_WORLD that all ranks know. At the first such collective from the
 * checkpoint on, rank 0 broadcasts two words on the collector's own communicator: one that says if all ranks measure
 * now, and the next checkpoint. Rank 0 predicts the next checkpoint from the interval and from the rate at which
 * sequence numbers grow, but at most doubles the current number. It lengthens the interval if a measurement takes more
 * than 0.5 % of it. Between checkpoints, a collective costs one comparison.
 *
 * In programs without such collectives, clocks are measured only at the start and the end. */
#ifndef HOPSCOPE_CLOCK_WATCH_H
#define HOPSCOPE_CLOCK_WATCH_H

#include "mpi/mpi_table.h"
#include "run/machines.h"

/* Starts the watch. Collective over comm, after the first clock_exchange. seconds: the interval between measurements;
 * rank 0's value counts; 0: no measurements. Returns the first checkpoint; UINT64_MAX if there is none, for example
 * because all ranks share a clock. */
uint64_t clock_watch_start(MPI_Comm comm, int rank, const struct machines *machines, double seconds);

/* Measures if rank 0 decides so. Collective over comm, at the checkpoint. number: the current sequence number. Returns
 * the next checkpoint. */
uint64_t clock_watch_check(MPI_Comm comm, int rank, int size, const struct machines *machines, uint64_t number);

#endif
