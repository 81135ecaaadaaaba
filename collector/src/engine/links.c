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

/* Lets all ranks of a machine map one file. If that fails, each rank uses its own memory. */
static bool share_state(struct links *links, size_t bytes) {
    uint64_t token = clock_monotonic_ns() ^ ((uint64_t)getpid() << 40);
    char name[20], error_text[100] = "";
    int rank = 0, is_mapped, all_mapped = 0;
    pmpi.Comm_rank(MPI_COMM_WORLD, &rank);
    pmpi.Bcast(&token, (int)sizeof token, MPI_BYTE, 0, MPI_COMM_WORLD);
    snprintf(name, sizeof name, "%016llx", (unsigned long long)token);
    is_mapped = shared_file_map(&links->file, name, bytes);
    if (!is_mapped)
        snprintf(error_text, sizeof error_text, "%s", strerror(errno));
    pmpi.Allreduce(&is_mapped, &all_mapped, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    shared_file_remove_name(&links->file);
    if (all_mapped) {
        links->shared = links->file.memory;
        return true;
    }
    if (!is_mapped)
        log_line("rank %d cannot share memory with its host (%s), so each rank emulates interfaces and bandwidths for "
                 "itself, not for its host. Free some space in /dev/shm",
                 rank, error_text);
    shared_file_unmap(&links->file);
    links->shared = calloc(1, bytes);
    return links->shared != NULL;
}

struct links *links_open(const struct topology *topology) {
    struct links *links = calloc(1, sizeof *links);
    int is_ready = links != NULL, all_ready = 0;
    pmpi.Allreduce(&is_ready, &all_ready, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (!all_ready) {
        free(links);
        return NULL;
    }
    links->topology = topology;
    size_t bytes = links_shared_bytes(topology);
    if (bytes == 0)
        return links;
    is_ready = share_state(links, bytes);
    pmpi.Allreduce(&is_ready, &all_ready, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (all_ready)
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
