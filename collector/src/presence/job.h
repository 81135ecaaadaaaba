/* Finds a name for this job that is the same on all its ranks, without sending a message. */
#ifndef HOPSCOPE_JOB_H
#define HOPSCOPE_JOB_H

#include <stdbool.h>
#include <stddef.h>

/* Takes the name from the environment variables of launchers (PMIx, Slurm, PALS, Flux), from Hydra (hydra.h), or else
 * from the parent process. The name consists of letters, digits, '.', '_' and '-'. in_init: true right after PMPI_Init;
 * false for sessions. Returns true if no other MPI_COMM_WORLD, not even a spawned one, has the same name. All ranks of
 * a world get the same result. */
bool job_token(char *token, size_t capacity, bool in_init);

/* True if the launcher reports that MPI_Comm_spawn created this process, even before its MPI_Init. */
bool job_was_spawned(void);

/* For a process that MPI_Comm_spawn created: the rank, in the spawning world, of the root of that call. -1 if the
 * launcher does not report it; only Open MPI's does. */
int job_parent_rank(void);

/* True for one rank of each host if the launcher reports hosts; otherwise for rank 0 only. Use it for messages that
 * would otherwise come from every rank. */
bool job_first_on_host(int rank);

#endif
