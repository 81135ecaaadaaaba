/* The state of emulated links that a machine's ranks share. */
#include "engine/links.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "log/log.h"
#include "mpi/mpi_table.h"
#include "record/clock.h"

/* All ranks of a machine map one file, or each falls back to its own memory. */
static bool share_state(struct links *links, size_t bytes) {
    uint64_t token = clock_monotonic_ns() ^ ((uint64_t)getpid() << 40);
    char name[20], why[100] = "";
    int rank = 0, good, all = 0;
    pmpi.Comm_rank(MPI_COMM_WORLD, &rank);
    pmpi.Bcast(&token, (int)sizeof token, MPI_BYTE, 0, MPI_COMM_WORLD);
    snprintf(name, sizeof name, "%016llx", (unsigned long long)token);
    good = shared_file_map(&links->file, name, bytes);
    if (!good)
        snprintf(why, sizeof why, "%s", strerror(errno));
    pmpi.Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    shared_file_settled(&links->file);
    if (all) {
        links->shared = links->file.memory;
        return true;
    }
    if (!good)
        log_line("rank %d cannot share memory with its host (%s), so each rank emulates interfaces and bandwidths for "
                 "itself, not for its host. Free some space in /dev/shm",
                 rank, why);
    shared_file_unmap(&links->file);
    links->shared = calloc(1, bytes);
    return links->shared != NULL;
}

struct links *links_open(const struct topology *topology) {
    struct links *links = calloc(1, sizeof *links);
    int good = links != NULL, all = 0;
    pmpi.Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (!all) {
        free(links);
        return NULL;
    }
    links->topology = topology;
    size_t bytes = links_shared_bytes(topology);
    if (bytes == 0)
        return links;
    good = share_state(links, bytes);
    pmpi.Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (all)
        return links;
    links_close(links);
    return NULL;
}

void links_close(struct links *links) {
    if (!links)
        return;
    if (!links->file.memory)
        free((void *)links->shared);
    shared_file_unmap(&links->file);
    free(links);
}
