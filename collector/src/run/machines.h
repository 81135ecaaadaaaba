/* The machine of each rank: its name and its clock. */
#ifndef HOPSCOPE_MACHINES_H
#define HOPSCOPE_MACHINES_H

#include <stdbool.h>

#include "mpi/mpi_table.h"

enum { HOST_NAME_BYTES = 128, BOOT_ID_BYTES = 40 };

struct machine_name {
    char host[HOST_NAME_BYTES];
    char boot[BOOT_ID_BYTES]; /* the kernel's boot id; containers of one machine have the same id and the same clock */
    char clock_host[HOST_NAME_BYTES];
};

struct machines {
    char own_host[HOST_NAME_BYTES];
    char own_boot[BOOT_ID_BYTES];
    int ranks;
    struct machine_name *of_rank; /* NULL before machines_gather */
    int *clock_leader;            /* for each rank, the lowest rank that has the same clock */
};

void machines_own(struct machines *machines);
/* Finds the machines of all ranks. Collective over comm. False if memory or MPI fails. */
bool machines_gather(struct machines *machines, MPI_Comm comm, int rank, int size);
/* The name of a rank's clock: the host name of its leader, with a number appended if two machines have that name. */
const char *machines_clock_host(const struct machines *machines, int rank);
void machines_free(struct machines *machines);

#endif
