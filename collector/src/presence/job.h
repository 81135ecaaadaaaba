/* A name for this job that its ranks can find without talking to one another. */
#ifndef HOPSCOPE_JOB_H
#define HOPSCOPE_JOB_H

#include <stdbool.h>
#include <stddef.h>

/* From what launchers leave in the environment (PMIx, Slurm, PALS, Flux), from Hydra's command line, or at last from
 * the parent process: letters, digits, '.', '_' and '-' only. */
void job_token(char *token, size_t capacity);

/* True if the launcher gives every MPI_COMM_WORLD a token of its own, also one that MPI_Comm_spawn made; alike on all
 * of its ranks. Hydra does not: spawned processes have their parents' token. */
bool job_token_is_of_world(void);

/* True for one rank of each host, as far as the launcher tells: for what would be said once per rank otherwise. */
bool job_first_on_host(int rank);

#endif
