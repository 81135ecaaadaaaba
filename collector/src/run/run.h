/* Starts and ends the collector's work in an MPI job, at the end of PMPI_Init and around PMPI_Finalize. */
#ifndef HOPSCOPE_RUN_H
#define HOPSCOPE_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "mpi/mpi_table.h"

/* The conditions of this job that the wrappers need to know. */
struct run_terms {
    bool serves; /* false: the wrappers only pass calls on */
    bool records_messages, many_threads;
    unsigned native_every; /* the setting of struct config */
    int rank, processes;   /* rank and number of processes in this world */
    uint32_t refusal;      /* definition id of the reason why the requested tree cannot be used at all; 0: no reason */
};

/* Call it after PMPI_Init. Finds out if every rank has the collector, begins recording, and starts the engine if a tree
 * is requested. An unusable tree or topology file ends the job here, before work is lost. init_ticks: the time at which
 * MPI_Init was called. */
struct run_terms run_start(uint64_t init_ticks);
/* Call it after a PMPI_Init that followed the first session. Adds MPI_COMM_WORLD and the parents' communicator. */
void run_add_world(uint64_t init_ticks);
#if HOPSCOPE_MPI_4
/* Like run_start, for the processes of mpi://WORLD. Call it after the first PMPI_Session_init of a program that has not
 * called MPI_Init. The processes exchange messages only inside this function, because no later point is certain to be
 * reached by all. So there is no engine and only one clock exchange, and the archive is assembled later. */
struct run_terms run_start_in_session(void);
/* Ends the recording. Call it before the PMPI_Session_finalize of the last session. function: the open call, whose
 * leave it records. Does not wait for other ranks. */
void run_finish_in_session(int function);
/* Reports, on stderr and in the trace, that this session is not recorded. Call it after a PMPI_Session_init that came
 * after the end of recording. */
void run_tell_of_late_session(void);
#endif
/* Call it after a collective on MPI_COMM_WORLD whose sequence number has reached the checkpoint (clock_watch.h).
 * has_data: the collective moved data, or failed here: other ranks, on which it may have succeeded, then expect this
 * rank. */
void run_checkpoint(int function, uint64_t seq, bool has_data);
/* Ends the recording and frees the collector's communicators and other MPI objects. Call it before PMPI_Finalize. */
void run_finish(void);
/* Call it after PMPI_Finalize. Rank 0 assembles the archive. */
void run_assemble(void);
/* Call it before PMPI_Abort. Records in the spools how the run ended. */
void run_abort(void);

#endif
