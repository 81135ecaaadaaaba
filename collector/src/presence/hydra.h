/* Asks Hydra (MPICH, Intel MPI) for the names of a process's job and world. */
#ifndef HOPSCOPE_HYDRA_H
#define HOPSCOPE_HYDRA_H

#include <stdbool.h>
#include <stddef.h>

/* Writes a name for the job of this process. False if Hydra did not start it. */
bool hydra_name_of_job(char *name, size_t capacity);

/* Writes a name for the world of a process that MPI_Comm_spawn created under Hydra: the name of its world's key-value
 * space. (Its job name is that of its parents.) The proxy answers on the socket that the MPI library uses too, so call
 * this only between PMPI_Init and the program's next MPI call. For any other process returns false, without a
 * message. */
bool hydra_name_of_spawned_world(char *name, size_t capacity);

#endif
