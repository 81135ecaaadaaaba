#include "engine/neighbors.h"

#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "mpi/mpi_table.h"
#include "record/clock.h"
#include "topology/own_memory.h"

struct introduction {
    uint64_t machine, memory, token;
    cpu_set_t processors; /* that this rank may use: a launcher may have bound it */
};

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

bool neighbors_find(struct neighbors *neighbors, const struct topology *topology) {
    struct introduction own = {
        .machine = own_machine(), .memory = own_memory(), .token = clock_monotonic_ns() ^ (uint64_t)getpid() << 40};
    *neighbors = (struct neighbors){.crowded = true};
    if (sched_getaffinity(0, sizeof own.processors, &own.processors) != 0)
        CPU_ZERO(&own.processors);
    if (pmpi.Comm_size(MPI_COMM_WORLD, &neighbors->ranks) != MPI_SUCCESS)
        return false;
    size_t ranks = (size_t)neighbors->ranks;
    struct introduction *all = calloc(ranks, sizeof *all);
    neighbors->memory = calloc(ranks, sizeof *neighbors->memory);
    /* Even without memory here, take part: the others wait for this rank. */
    int mine = all && neighbors->memory, everybody = 0;
    pmpi.Allreduce(&mine, &everybody, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    bool good = everybody && pmpi.Allgather(&own, (int)sizeof own, MPI_BYTE, all, (int)sizeof own, MPI_BYTE,
                                            MPI_COMM_WORLD) == MPI_SUCCESS;
    if (good) {
        neighbors->job = all[0].token;
        for (size_t rank = 0; rank < ranks; rank++)
            neighbors->memory[rank] =
                all[rank].memory ^ (uint64_t)(topology->host_of_rank[rank] + 1) * 0x9E3779B97F4A7C15u;
        neighbors->crowded = is_crowded(all, neighbors->ranks, own.machine);
    } else {
        neighbors_free(neighbors);
    }
    free(all);
    return good;
}

void neighbors_free(struct neighbors *neighbors) {
    free(neighbors->memory);
    *neighbors = (struct neighbors){.crowded = true};
}
