/* The members of a communicator, by this process's own numbers.
 *
 * A process of MPI_COMM_WORLD (or mpi://WORLD) has its rank there as number. Processes of other worlds get numbers from
 * that world's size on, in the order in which they become known. Different numbers are different processes. A number
 * stays valid as long as there is a communicator with processes of other worlds. The assembly relates the numbers of
 * different processes. */
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
/* Tells that a communicator with processes of other worlds is gone. With the last such communicator, the numbers of
 * these processes expire for ever. */
void members_forget(void);

#endif
