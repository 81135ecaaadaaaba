/* Measures clocks between the start and the end of a long run.
 *
 * All ranks must make the same decision to measure, and none may wait for a rank that might not come. So a measurement
 * follows only an MPI_Barrier, or an MPI_Allreduce with data, on MPI_COMM_WORLD: nobody leaves these before everybody
 * has entered, so everybody comes.
 *
 * A checkpoint is a sequence number on MPI_COMM_WORLD that all ranks know. At the first such collective from the
 * checkpoint on, rank 0 broadcasts two words on the collector's own communicator: if all measure now, and the next
 * checkpoint. Rank 0 predicts the next checkpoint from the rate of sequence numbers, to match the interval, but at most
 * doubles the current number. It makes the interval longer if a measurement takes more than 0.5 % of it. Between
 * checkpoints a collective costs one comparison.
 *
 * Programs without such collectives are measured only at the start and the end. */
#ifndef HOPSCOPE_CLOCK_WATCH_H
#define HOPSCOPE_CLOCK_WATCH_H

#include "mpi/mpi_table.h"
#include "run/machines.h"

/* Collective over comm, after the first exchange. seconds: the interval between measurements, as set on rank 0; 0: no
 * measurements. Returns the first checkpoint, or UINT64_MAX if there is none, for example because all ranks share a
 * clock. */
uint64_t clock_watch_start(MPI_Comm comm, int rank, const struct machines *machines, double seconds);

/* Collective over comm, at the checkpoint `number`. Returns the next checkpoint. */
uint64_t clock_watch_check(MPI_Comm comm, int rank, int size, const struct machines *machines, uint64_t number);

#endif
