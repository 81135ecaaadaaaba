/* The collector in one MPI job: from the end of PMPI_Init to PMPI_Finalize. */
#ifndef HOPSCOPE_RUN_H
#define HOPSCOPE_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "mpi/mpi_table.h"

/* After PMPI_Init: finds out whether every rank carries the collector, begins recording, and where a tree is asked for
 * starts the engine. A tree or topology file that cannot serve ends the job here, before work is lost. False: this
 * process is to be left alone. began: the ticks of calling it. */
bool run_start(uint64_t began);
/* After a PMPI_Init that came behind the first session: MPI_COMM_WORLD, and the communicator with those who spawned it.
 */
void run_add_world(uint64_t began);
#if HOPSCOPE_MPI_SESSIONS
/* After the first PMPI_Session_init of a program that has not called MPI_Init: the same on the processes of
 * mpi://WORLD. All of them are inside this function when they talk to one another, which they do here and never again:
 * nothing says where they would all come together later. So there is no engine, one clock exchange, and the archive is
 * made afterwards. */
bool run_start_in_session(void);
/* Before the PMPI_Session_finalize of the last session (function: whose leave it is); no rank waits for another. */
void run_finish_in_session(int function);
/* After a PMPI_Session_init that came behind the end of the recording: nothing of it is recorded, which is said once
 * on stderr and in the trace. */
void run_tell_of_late_session(void);
#endif
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
