/* Measures clock offsets between machines by the fastest of many round trips from rank 0 to one rank of each other
 * machine. */
#ifndef HOPSCOPE_CLOCK_EXCHANGE_H
#define HOPSCOPE_CLOCK_EXCHANGE_H

#include "mpi/mpi_table.h"
#include "run/machines.h"

/* Collective over comm, the collector's own. Each machine's leader writes a round_trip definition with raw ticks, which
 * the assembly interprets. Does nothing if all ranks share one clock. */
void clock_exchange(MPI_Comm comm, int rank, int size, const struct machines *machines);
/* Like clock_exchange, but with fewer round trips, because the application waits in the meantime. */
void clock_exchange_briefly(MPI_Comm comm, int rank, int size, const struct machines *machines);

#endif
