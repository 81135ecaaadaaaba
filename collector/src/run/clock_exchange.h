/* How the machines' clocks relate: the fastest of many round trips between rank 0 and one rank of each other machine.
 */
#ifndef HOPSCOPE_CLOCK_EXCHANGE_H
#define HOPSCOPE_CLOCK_EXCHANGE_H

#include "mpi/mpi_table.h"
#include "run/machines.h"

/* Collective over comm, the collector's own. Each machine's leader writes a round_trip definition with raw ticks; what
 * they mean is worked out by the assembly. Nothing happens where all ranks share one clock. */
void clock_exchange(MPI_Comm comm, int rank, int size, const struct machines *machines);
/* The same with fewer round trips, for while the application waits. */
void clock_exchange_briefly(MPI_Comm comm, int rank, int size, const struct machines *machines);

#endif
