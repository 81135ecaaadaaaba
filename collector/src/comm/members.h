/* Who is in a communicator, by numbers of this process: those of MPI_COMM_WORLD (or mpi://WORLD) are their ranks there;
 * processes of other worlds are numbered on from its size as they come to be known. Two numbers of one process mean two
 * processes, and a process keeps its number as long as a communicator with such processes is there; what the numbers
 * of different processes have to do with one another is found out when the archive is assembled. */
#ifndef HOPSCOPE_MEMBERS_H
#define HOPSCOPE_MEMBERS_H

#include <stdbool.h>

#include "mpi/mpi_table.h"

struct members {
    int *local, *remote; /* remote, of an intercommunicator only: the other group */
    int size, remote_size;
    bool foreign; /* some are of another world */
};

/* The own world's processes: the group becomes this file's, which frees it in members_stop. */
void members_start(MPI_Group world, int size);
void members_stop(void);

/* Both groups of a communicator. meets: it may have processes that were not known before, which get numbers. False if
 * it has some all the same, or memory or MPI fails. Where true and foreign, members_forget is owed for it. */
bool members_find(struct members *members, MPI_Comm comm, bool inter, bool meets);
void members_free(struct members *members);
/* A communicator with processes of other worlds is no more. With the last one their numbers go, and never come again.
 */
void members_forget(void);

#endif
