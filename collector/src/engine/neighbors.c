#include "engine/neighbors.h"

#include <sched.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/links.h"
#include "mpi/mpi_table.h"
#include "record/clock.h"

struct introduction {
    uint64_t machine, token;
    cpu_set_t processors; /* that this rank may use: a launcher may have bound it to one */
};

/* Containers on one machine have a clock in common, and each its own shared memory. */
static uint64_t own_machine(void) {
    struct stat memory;
    uint64_t device = stat("/dev/shm", &memory) == 0 ? (uint64_t)memory.st_dev + 1 : 0;
    return links_machine() ^ device * 0x9E3779B97F4A7C15u;
}

static bool is_crowded(const struct introduction *all, int ranks, uint64_t machine) {
    cpu_set_t together;
    int here = 0;
    CPU_ZERO(&together);
    for (int rank = 0; rank < ranks; rank++) {
        if (all[rank].machine != machine)
            continue;
        CPU_OR(&together, &together, &all[rank].processors);
        here++;
    }
    return here > CPU_COUNT(&together);
}

bool neighbors_find(struct neighbors *neighbors) {
    struct introduction own = {.machine = own_machine(), .token = clock_monotonic_ns() ^ (uint64_t)getpid() << 40};
    *neighbors = (struct neighbors){.crowded = true};
    if (sched_getaffinity(0, sizeof own.processors, &own.processors) != 0)
        CPU_ZERO(&own.processors);
    if (pmpi.Comm_size(MPI_COMM_WORLD, &neighbors->ranks) != MPI_SUCCESS)
        return false;
    size_t ranks = (size_t)neighbors->ranks;
    struct introduction *all = calloc(ranks, sizeof *all);
    neighbors->machine = calloc(ranks, sizeof *neighbors->machine);
    /* Without memory here the others are still waiting for this rank's part. */
    int mine = all && neighbors->machine, everybody = 0;
    pmpi.Allreduce(&mine, &everybody, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    bool good = everybody && pmpi.Allgather(&own, (int)sizeof own, MPI_BYTE, all, (int)sizeof own, MPI_BYTE,
                                            MPI_COMM_WORLD) == MPI_SUCCESS;
    if (good) {
        neighbors->job = all[0].token;
        for (size_t rank = 0; rank < ranks; rank++)
            neighbors->machine[rank] = all[rank].machine;
        neighbors->crowded = is_crowded(all, neighbors->ranks, own.machine);
    } else {
        neighbors_free(neighbors);
    }
    free(all);
    return good;
}

void neighbors_free(struct neighbors *neighbors) {
    free(neighbors->machine);
    *neighbors = (struct neighbors){.crowded = true};
}
