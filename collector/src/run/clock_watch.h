/* Clock measurements between the start and the end of a long run.
 *
 * All ranks must decide alike whether there is one, and none may wait for a rank that is not bound to come. So
 * measurements are taken only behind an MPI_Barrier or an MPI_Allreduce of some data on MPI_COMM_WORLD: nobody leaves
 * these before everybody has entered, so everybody comes. Which of them: from the first checkpoint on, a sequence
 * number on MPI_COMM_WORLD that all know, rank 0 says at each checkpoint, in a broadcast of two words on the
 * collector's own communicator, whether to measure now and which number is the next checkpoint. It aims at the interval
 * by the rate at which the numbers go up, never further than twice the present number, and stretches the interval where
 * a measurement takes more than 0.5 % of it. Between checkpoints a collective costs one comparison.
 *
 * Programs without such collectives have measurements at the start and the end only.
 */
#ifndef HOPSCOPE_CLOCK_WATCH_H
#define HOPSCOPE_CLOCK_WATCH_H

#include "mpi/mpi_table.h"
#include "run/machines.h"

/* Collective over comm, after the first exchange. seconds: between measurements, as rank 0 wants it; 0: none. Returns
 * the first checkpoint, UINT64_MAX if there is none: nothing is measured where all ranks share a clock. */
uint64_t clock_watch_start(MPI_Comm comm, int rank, const struct machines *machines, double seconds);

/* Collective over comm, at the checkpoint `number`. Returns the next one. */
uint64_t clock_watch_check(MPI_Comm comm, int rank, int size, const struct machines *machines, uint64_t number);

#endif
