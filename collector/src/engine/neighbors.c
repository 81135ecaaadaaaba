#include "engine/neighbors.h"

#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "mpi/mpi_table.h"
#include "record/clock.h"
#include "topology/own_memory.h"

struct introduction {
    uint64_t machine, memory, token;
    cpu_set_t processors; /* the processors that this rank may use; fewer than all if the launcher bound the rank */
};

static bool is_crowded(const struct introduction *introductions, int ranks, uint64_t machine) {
    cpu_set_t processors;
    int machine_ranks = 0;
    CPU_ZERO(&processors);
    for (int rank = 0; rank < ranks; rank++) {
        if (introductions[rank].machine != machine)
            continue;
        CPU_OR(&processors, &processors, &introductions[rank].processors);
        machine_ranks++;
    }
    return machine_ranks > CPU_COUNT(&processors);
}

bool neighbors_find(struct neighbors *neighbors, const struct topology *topology) {
    struct introduction introduction = {
        .machine = own_machine(), .memory = own_memory(), .token = clock_monotonic_ns() ^ (uint64_t)getpid() << 40};
    *neighbors = (struct neighbors){.crowded = true};
    if (sched_getaffinity(0, sizeof introduction.processors, &introduction.processors) != 0)
        CPU_ZERO(&introduction.processors);
    if (pmpi.Comm_size(MPI_COMM_WORLD, &neighbors->ranks) != MPI_SUCCESS)
        return false;
    size_t ranks = (size_t)neighbors->ranks;
    struct introduction *introductions = calloc(ranks, sizeof *introductions);
    neighbors->memory = calloc(ranks, sizeof *neighbors->memory);
    /* A rank without memory takes part too, because the other ranks wait for it. */
    int has_memory = introductions && neighbors->memory, all_have_memory = 0;
    pmpi.Allreduce(&has_memory, &all_have_memory, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    bool is_complete =
        all_have_memory && pmpi.Allgather(&introduction, (int)sizeof introduction, MPI_BYTE, introductions,
                                          (int)sizeof introduction, MPI_BYTE, MPI_COMM_WORLD) == MPI_SUCCESS;
    if (is_complete) {
        neighbors->job = introductions[0].token;
        for (size_t rank = 0; rank < ranks; rank++)
            neighbors->memory[rank] =
                introductions[rank].memory ^ (uint64_t)(topology->host_of_rank[rank] + 1) * 0x9E3779B97F4A7C15u;
        neighbors->crowded = is_crowded(introductions, neighbors->ranks, introduction.machine);
    } else {
        neighbors_free(neighbors);
    }
    free(introductions);
    return is_complete;
}

void neighbors_free(struct neighbors *neighbors) {
    free(neighbors->memory);
    *neighbors = (struct neighbors){.crowded = true};
}
