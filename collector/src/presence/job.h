/* A name for this job that its ranks find without a message. */
#ifndef HOPSCOPE_JOB_H
#define HOPSCOPE_JOB_H

#include <stdbool.h>
#include <stddef.h>

/* Takes the name from the environment variables of launchers (PMIx, Slurm, PALS, Flux), from Hydra (hydra.h), or else
 * from the parent process. It consists of letters, digits, '.', '_' and '-'. in_init: true right after PMPI_Init; false
 * for sessions. Returns true, on all ranks of a world alike, if the token belongs to this MPI_COMM_WORLD alone, so that
 * not even a spawned world has it. */
bool job_token(char *token, size_t capacity, bool in_init);

/* True if the launcher reports that MPI_Comm_spawn created this process, even before its MPI_Init. */
bool job_was_spawned(void);

/* For a spawned process: the root's rank in the spawning world; -1 if the launcher does not report it (only Open MPI
 * does). */
int job_parent_rank(void);

/* True for one rank of each host, if the launcher reports hosts. It serves lines that every rank would otherwise
 * print. */
bool job_first_on_host(int rank);

#endif
