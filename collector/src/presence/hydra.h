/* Finds names for the job and the world of a process that Hydra (the launcher of MPICH and Intel MPI) started. */
#ifndef HOPSCOPE_HYDRA_H
#define HOPSCOPE_HYDRA_H

#include <stdbool.h>
#include <stddef.h>

/* Writes a name for the job of this process. False if Hydra did not start it. */
bool hydra_name_of_job(char *name, size_t capacity);

/* Writes a name for the world of a process that MPI_Comm_spawn created under Hydra. It is the name of the world's
 * key-value space, because hydra_name_of_job gives the parents' name. Asks Hydra's proxy on the socket that the MPI
 * library uses too, so call it only between PMPI_Init and the program's next MPI call. For any other process returns
 * false and asks nothing. */
bool hydra_name_of_spawned_world(char *name, size_t capacity);

#endif
