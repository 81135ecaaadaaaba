#include "engine/shm_window.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/* Of all windows together, for each of the ranks that share them: later communicators use messages of MPI. */
enum { MOST_BYTES_PER_RANK = 8 << 20 };
static _Atomic size_t bytes_in_use;

static size_t share_of(const struct shm_window *w) {
    return w->memory ? w->bytes / (size_t)w->members : 0;
}

static bool number_members(struct shm_window *w, const struct comm *comm, const struct neighbors *neighbors) {
    w->member_of_rank = malloc((size_t)comm->size * sizeof *w->member_of_rank);
    if (!w->member_of_rank || !neighbors->machine)
        return false;
    for (int rank = 0; rank < comm->size; rank++)
        if (comm->world_ranks[rank] < 0 || comm->world_ranks[rank] >= neighbors->ranks)
            return false;
    uint64_t own = neighbors->machine[comm->world_ranks[comm->rank]];
    for (int rank = 0; rank < comm->size; rank++) {
        bool here = neighbors->machine[comm->world_ranks[rank]] == own;
        if (rank == comm->rank)
            w->own = w->members;
        w->member_of_rank[rank] = here ? w->members++ : -1;
    }
    return true;
}

/* Whoever comes first makes the file, under a name that only this communicator's members on this machine use. */
static void *map(const char *path, size_t bytes) {
    struct rlimit limit;
    /* Beyond the process's limit a file ends it with SIGXFSZ. */
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && bytes > limit.rlim_cur)
        return NULL;
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0)
        return NULL;
    /* Allocated, not only stretched: a hole on a full disk is a SIGBUS at its first use. New pages are zeros. */
    void *memory = MAP_FAILED;
    if (posix_fallocate(file, 0, (off_t)bytes) == 0)
        memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    return memory == MAP_FAILED ? NULL : memory;
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
    w->bytes = members * members * sizeof(struct window_channel) + members * WINDOW_LANES * sizeof(struct window_lane);
    if (bytes_in_use + w->bytes / members > MOST_BYTES_PER_RANK)
        return false;
    snprintf(w->path, sizeof w->path, "/dev/shm/hopscope-%d-%016llx-%016llx", (int)getuid(),
             (unsigned long long)neighbors->job, (unsigned long long)comm->key);
    w->memory = map(w->path, w->bytes);
    bytes_in_use += share_of(w);
    return w->memory != NULL;
}

void shm_window_unlink(struct shm_window *w) {
    if (w->path[0])
        unlink(w->path); /* the first one removes it, the others find nothing */
    w->path[0] = '\0';
}

void shm_window_close(struct shm_window *w) {
    shm_window_unlink(w);
    bytes_in_use -= share_of(w);
    if (w->memory)
        munmap(w->memory, w->bytes);
    free(w->member_of_rank);
    *w = (struct shm_window){0};
}
