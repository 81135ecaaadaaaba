/* The collector in one MPI job: from the end of PMPI_Init to PMPI_Finalize. */
#ifndef HOPSCOPE_RUN_H
#define HOPSCOPE_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "mpi/mpi_table.h"

/* The settings by which the wrappers work in this job. */
struct run_terms {
    bool serves; /* false: leave this process alone */
    bool records_messages, many_threads;
    unsigned native_every; /* as in config.h */
    int rank, processes;   /* of this world */
    uint32_t refusal;      /* definition id of the reason why nothing can run over the requested tree; 0: none */
};

/* After PMPI_Init: finds out if every rank carries the collector, begins recording, and starts the engine if a tree is
 * requested. An unusable tree or topology file ends the job here, before work is lost. init_ticks: time of the call of
 * MPI_Init. */
struct run_terms run_start(uint64_t init_ticks);
/* After a PMPI_Init that followed the first session: adds MPI_COMM_WORLD and the parents' communicator. */
void run_add_world(uint64_t init_ticks);
#if HOPSCOPE_MPI_4
/* After the first PMPI_Session_init of a program that has not called MPI_Init: run_start on the processes of
 * mpi://WORLD. All of them are inside this function while they exchange messages. They do so only here, because no
 * later point is known that all of them reach. So there is no engine and only one clock exchange, and the archive is
 * assembled later. */
struct run_terms run_start_in_session(void);
/* Before the PMPI_Session_finalize of the last session. function: the call to leave. No rank waits for another. */
void run_finish_in_session(int function);
/* After a PMPI_Session_init that followed the end of recording: reports once, on stderr and in the trace, that nothing
 * of this session is recorded. */
void run_tell_of_late_session(void);
#endif
/* After a collective on MPI_COMM_WORLD whose sequence number has reached its checkpoint: clock_watch.h. has_data: it
 * moved data, or it failed, because other ranks may not know of the failure. */
void run_checkpoint(int function, uint64_t seq, bool has_data);
/* Before PMPI_Finalize: removes all of the collector's objects from the MPI library. */
void run_finish(void);
/* After PMPI_Finalize: rank 0 assembles the archive. */
void run_assemble(void);
/* Before PMPI_Abort: records in the spools how the run ended. */
void run_abort(void);

#endif
