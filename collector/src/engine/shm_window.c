#include "engine/shm_window.h"

#include <stdio.h>
#include <stdlib.h>

/* The most memory that all windows together may take, in bytes per rank that shares memory. Further communicators use
 * MPI messages. */
enum { MOST_BYTES_PER_RANK = 8 << 20 };
static _Atomic size_t bytes_in_use;

static size_t share_of(const struct shm_window *w) {
    return w->file.memory ? w->file.bytes / (size_t)w->members : 0;
}

static bool number_members(struct shm_window *w, const struct comm *comm, const struct neighbors *neighbors) {
    w->member_of_rank = malloc((size_t)comm->size * sizeof *w->member_of_rank);
    if (!w->member_of_rank || !neighbors->memory)
        return false;
    for (int rank = 0; rank < comm->size; rank++)
        if (comm->world_ranks[rank] < 0 || comm->world_ranks[rank] >= neighbors->ranks)
            return false;
    uint64_t memory = neighbors->memory[comm->world_ranks[comm->rank]];
    for (int rank = 0; rank < comm->size; rank++) {
        bool is_local = neighbors->memory[comm->world_ranks[rank]] == memory;
        if (rank == comm->rank)
            w->own_index = w->members;
        w->member_of_rank[rank] = is_local ? w->members++ : -1;
    }
    return true;
}

bool shm_window_open(struct shm_window *w, const struct comm *comm, const struct neighbors *neighbors) {
    *w = (struct shm_window){0};
    if (!number_members(w, comm, neighbors))
        return false;
    if (w->members == 1) {
        w->member_of_rank[comm->rank] = -1;
        return true;
    }
    size_t members = (size_t)w->members;
    bool has_deep_lanes = neighbors->crowded && w->members <= WINDOW_MOST_CROWDED;
    w->buffers = has_deep_lanes ? WINDOW_BUFFERS_IF_CROWDED : WINDOW_BUFFERS;
    size_t bytes = members * members * sizeof(struct window_channel) +
                   members * WINDOW_LANES * (size_t)w->buffers * sizeof(struct window_buffer);
    if (bytes_in_use + bytes / members > MOST_BYTES_PER_RANK)
        return false;
    /* Several hosts of the topology may run on one machine. Each host has its own window. */
    uint64_t memory_id = neighbors->job ^ neighbors->memory[comm->world_ranks[comm->rank]];
    char name[40];
    snprintf(name, sizeof name, "%016llx-%016llx", (unsigned long long)memory_id, (unsigned long long)comm->key);
    bool mapped = shared_file_map(&w->file, name, bytes);
    bytes_in_use += share_of(w);
    return mapped;
}

void shm_window_close(struct shm_window *w) {
    bytes_in_use -= share_of(w);
    shared_file_unmap(&w->file);
    free(w->member_of_rank);
    *w = (struct shm_window){0};
}
