/* Measures clock offsets between machines. Rank 0 makes many round trips to one rank of each other machine, and the
 * fastest one counts. */
#ifndef HOPSCOPE_CLOCK_EXCHANGE_H
#define HOPSCOPE_CLOCK_EXCHANGE_H

#include "mpi/mpi_table.h"
#include "run/machines.h"

/* Collective over comm, the collector's own communicator. The leader of each machine but rank 0's writes a round_trip
 * definition with raw ticks, from which the assembly computes the offset. Does nothing if all ranks share one clock. */
void clock_exchange(MPI_Comm comm, int rank, int size, const struct machines *machines);
/* Like clock_exchange, but with fewer round trips, because the application waits in the meantime. */
void clock_exchange_briefly(MPI_Comm comm, int rank, int size, const struct machines *machines);

#endif
