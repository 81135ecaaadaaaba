/* The collector in one MPI job, from the end of PMPI_Init to PMPI_Finalize. */
#ifndef HOPSCOPE_RUN_H
#define HOPSCOPE_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "mpi/mpi_table.h"

/* The terms under which the wrappers work in this job. */
struct run_terms {
    bool serves; /* false: the collector leaves this process alone */
    bool records_messages, many_threads;
    unsigned native_every; /* as in config.h */
    int rank, processes;   /* in this world */
    uint32_t refusal;      /* definition id of the reason why no call can run over the requested tree; 0: none */
};

/* Call it after PMPI_Init. Finds out if every rank has the collector, begins recording, and starts the engine if a tree
 * is requested. An unusable tree or topology file ends the job here, before work is lost. init_ticks: the time at which
 * MPI_Init was called. */
struct run_terms run_start(uint64_t init_ticks);
/* Call it after a PMPI_Init that followed the first session. Adds MPI_COMM_WORLD and the parents' communicator. */
void run_add_world(uint64_t init_ticks);
#if HOPSCOPE_MPI_4
/* Call it after the first PMPI_Session_init of a program that has not called MPI_Init. It is run_start for the
 * processes of mpi://WORLD. All of them are inside this function while they exchange messages. They do so only here,
 * because no later point is known to be reached by all. So there is no engine and only one clock exchange, and the
 * archive is assembled later. */
struct run_terms run_start_in_session(void);
/* Call it before the PMPI_Session_finalize of the last session. function: the call to leave. No rank waits for
 * another. */
void run_finish_in_session(int function);
/* Call it after a PMPI_Session_init that followed the end of recording. Reports once, on stderr and in the trace, that
 * this session is not recorded. */
void run_tell_of_late_session(void);
#endif
/* Call it after a collective on MPI_COMM_WORLD whose sequence number has reached its checkpoint (clock_watch.h).
 * has_data: the collective moved data; or it failed, because other ranks may not know of the failure. */
void run_checkpoint(int function, uint64_t seq, bool has_data);
/* Call it before PMPI_Finalize. Removes all of the collector's objects from the MPI library. */
void run_finish(void);
/* Call it after PMPI_Finalize. Rank 0 assembles the archive. */
void run_assemble(void);
/* Call it before PMPI_Abort. Records in the spools how the run ended. */
void run_abort(void);

#endif
