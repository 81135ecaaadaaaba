/* The collector in one MPI job: from the end of PMPI_Init to PMPI_Finalize. */
#ifndef HOPSCOPE_RUN_H
#define HOPSCOPE_RUN_H

#include <stdbool.h>
#include <stdint.h>

/* After PMPI_Init: finds out whether every rank carries the collector, begins recording, and where a tree is asked for
 * starts the engine. A tree or topology file that cannot serve ends the job here, before work is lost. False: this
 * process is to be left alone. */
bool run_start(void);
/* Behind a collective on MPI_COMM_WORLD whose sequence number has come to its checkpoint: clock_watch.h. has_data: it
 * has moved some; also if it failed, for then nothing tells who else thinks so. */
void run_checkpoint(int function, uint64_t seq, bool has_data);
/* Before PMPI_Finalize: nothing of the collector's is left in the MPI library afterwards. */
void run_finish(void);
/* After PMPI_Finalize: on rank 0, the archive is put together. */
void run_assemble(void);
/* Before PMPI_Abort: the spools say how the run ended. */
void run_abort(void);

#endif
