/* What Hydra (MPICH, Intel MPI) tells the processes that it starts about which job and which world they are of. */
#ifndef HOPSCOPE_HYDRA_H
#define HOPSCOPE_HYDRA_H

#include <stdbool.h>
#include <stddef.h>

/* A name for the job of this process. False if it was not started by Hydra. */
bool hydra_name_of_job(char *name, size_t capacity);

/* A name for the world of a process that MPI_Comm_spawn made under Hydra, which goes by its job's name like its
 * parents: that of its world's key-value space. Its proxy tells it in answer to a line on the socket on which the MPI
 * library talks to the proxy too, so this may only be called between PMPI_Init and the program's next MPI call. False,
 * and nothing was said there, for any other process. */
bool hydra_name_of_spawned_world(char *name, size_t capacity);

#endif
