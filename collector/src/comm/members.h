/* The members of a communicator, in a numbering of processes that is private to this process.
 *
 * The number of a process of this process's MPI_COMM_WORLD (or mpi://WORLD) is its rank there. Processes of other
 * worlds get the numbers from the size of MPI_COMM_WORLD on, in the order in which they become known. Different numbers
 * are different processes. The numbers stay valid as long as any communicator with processes of other worlds exists.
 * The assembly translates between the numberings of different processes. */
#ifndef HOPSCOPE_MEMBERS_H
#define HOPSCOPE_MEMBERS_H

#include <stdbool.h>

#include "mpi/mpi_table.h"

struct members {
    int *local, *remote; /* remote: the other group of an intercommunicator; else NULL */
    int size, remote_size;
    bool foreign; /* at least one process belongs to another world */
};

/* Sets this world's processes. Takes ownership of the group; members_stop frees it. */
void members_start(MPI_Group world, int size);
void members_stop(void);

/* Finds both groups of a communicator. admits_strangers: the communicator may bring new processes of other worlds,
 * which then get numbers. Returns false if memory or MPI fails, or if there are new processes although none are
 * admitted. After true with `foreign` set, call members_forget later. members_free frees the numbers. */
bool members_find(struct members *members, MPI_Comm comm, bool inter, bool admits_strangers);
void members_free(struct members *members);
/* Call it when a communicator with processes of other worlds is freed. When the last such communicator is freed, the
 * numbers of these processes become invalid and are never used again. */
void members_forget(void);

#endif
