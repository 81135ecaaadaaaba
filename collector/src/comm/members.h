/* Who is in a communicator, by this process's own numbers. Processes of MPI_COMM_WORLD (or mpi://WORLD) have their rank
 * there; processes of other worlds are numbered from its size on as they become known. Different numbers are different
 * processes, and a number stays valid as long as a communicator with processes of other worlds exists. The assembly
 * relates the numbers of different processes. */
#ifndef HOPSCOPE_MEMBERS_H
#define HOPSCOPE_MEMBERS_H

#include <stdbool.h>

#include "mpi/mpi_table.h"

struct members {
    int *local, *remote; /* remote: the other group, only for an intercommunicator */
    int size, remote_size;
    bool foreign; /* some are of another world */
};

/* Sets this world's processes. Takes over the group; members_stop frees it. */
void members_start(MPI_Group world, int size);
void members_stop(void);

/* Finds both groups of a communicator. meets: new processes are expected and get numbers. False if there are new ones
 * without meets, or memory or MPI fails. If it returns true with foreign set, call members_forget later. */
bool members_find(struct members *members, MPI_Comm comm, bool inter, bool meets);
void members_free(struct members *members);
/* A communicator with processes of other worlds is gone. With the last one their numbers expire for ever. */
void members_forget(void);

#endif
