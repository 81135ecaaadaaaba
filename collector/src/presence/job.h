/* A name for this job that its ranks can find without talking to one another. */
#ifndef HOPSCOPE_JOB_H
#define HOPSCOPE_JOB_H

#include <stdbool.h>
#include <stddef.h>

/* From what launchers leave in the environment (PMIx, Slurm, PALS, Flux), from Hydra (hydra.h), or at last from the
 * parent process: letters, digits, '.', '_' and '-' only. in_init: right after PMPI_Init; false for sessions. True if
 * no other MPI_COMM_WORLD has this token, not even one that MPI_Comm_spawn made; alike on all ranks of one. */
bool job_token(char *token, size_t capacity, bool in_init);

/* True if the launcher says that MPI_Comm_spawn made this process, whose MPI_Init may be to come. */
bool job_was_spawned(void);

/* Of a process that MPI_Comm_spawn made: the rank, in its own world, of the one that was the root; -1 where the
 * launcher does not tell (only Open MPI's does). */
int job_parent_rank(void);

/* True for one rank of each host, as far as the launcher tells: for what would be said once per rank otherwise. */
bool job_first_on_host(int rank);

#endif
