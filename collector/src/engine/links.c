/* Due times of emulated messages, from state that the ranks of a machine share. */
#include "engine/links.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/shared_file.h"
#include "log/log.h"
#include "mpi/mpi_table.h"
#include "record/clock.h"

struct links {
    const struct topology *topology;
    /* Busy until: [hosts] sending interfaces, [hosts] receiving ones, [hosts * hosts] directed pairs; then how many
     * messages each pair has carried. NULL where nothing serialises. */
    _Atomic uint64_t *shared;
    size_t shared_bytes;
    struct shared_file file; /* that `shared` is in; not mapped: it is this rank's own */
};

static bool needs_state(const struct topology *t) {
    if (t->interface_message_ns > 0 || t->interface_bytes_per_second > 0)
        return true;
    for (size_t i = 0; i < (size_t)t->hosts * (size_t)t->hosts; i++)
        if (t->delay_of_pair[i].bytes_per_second > 0 || t->delay_of_pair[i].trace_ns)
            return true;
    return false;
}

/* All ranks of a machine map one file, or each falls back to memory of its own. */
static bool share_state(struct links *links) {
    uint64_t token = clock_monotonic_ns() ^ ((uint64_t)getpid() << 40);
    char name[20], why[100] = "";
    int rank = 0, good, all = 0;
    pmpi.Comm_rank(MPI_COMM_WORLD, &rank);
    pmpi.Bcast(&token, (int)sizeof token, MPI_BYTE, 0, MPI_COMM_WORLD);
    snprintf(name, sizeof name, "%016llx", (unsigned long long)token);
    good = shared_file_map(&links->file, name, links->shared_bytes);
    if (!good)
        snprintf(why, sizeof why, "%s", strerror(errno));
    pmpi.Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    shared_file_settled(&links->file);
    if (all) {
        links->shared = links->file.memory;
        return true;
    }
    if (!good)
        log_line(
            "rank %d cannot share memory with its host (%s): emulated interfaces and bandwidths are each rank's own, "
            "not its host's; make room in /dev/shm",
            rank, why);
    shared_file_unmap(&links->file);
    links->shared = calloc(1, links->shared_bytes);
    return links->shared != NULL;
}

struct links *links_open(const struct topology *topology) {
    struct links *links = calloc(1, sizeof *links);
    int good = links != NULL, all = 0;
    size_t hosts = (size_t)topology->hosts;
    pmpi.Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (!all) {
        free(links);
        return NULL;
    }
    links->topology = topology;
    if (!needs_state(topology))
        return links;
    links->shared_bytes = (2 * hosts + 2 * hosts * hosts) * sizeof *links->shared;
    good = share_state(links);
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

static uint64_t duration_ns(int64_t bytes, double bytes_per_second) {
    return bytes_per_second > 0 ? (uint64_t)((double)bytes / bytes_per_second * 1e9) : 0;
}

/* Takes the next free stretch of this length from `at` on; returns its end. */
static uint64_t occupy(_Atomic uint64_t *busy_until, uint64_t at, uint64_t duration) {
    uint64_t busy = atomic_load_explicit(busy_until, memory_order_relaxed), end;
    if (duration == 0)
        return at > busy ? at : busy;
    do
        end = (at > busy ? at : busy) + duration;
    while (!atomic_compare_exchange_weak_explicit(busy_until, &busy, end, memory_order_relaxed, memory_order_relaxed));
    return end;
}

static uint64_t interface_ns(const struct topology *t, int64_t bytes) {
    return t->interface_message_ns + duration_ns(bytes, t->interface_bytes_per_second);
}

uint64_t links_send(struct links *links, int from, int to, int64_t bytes, uint64_t now) {
    const struct topology *t = links->topology;
    size_t hosts = (size_t)t->hosts, pair = (size_t)from * hosts + (size_t)to;
    const struct link_delay *delay = &t->delay_of_pair[pair];
    uint64_t at = now, latency = delay->latency_ns;
    if (from != to && interface_ns(t, bytes) > 0)
        at = occupy(&links->shared[from], at, interface_ns(t, bytes));
    if (delay->bytes_per_second > 0)
        at = occupy(&links->shared[2 * hosts + pair], at, duration_ns(bytes, delay->bytes_per_second));
    if (delay->trace_ns) {
        uint64_t turn =
            atomic_fetch_add_explicit(&links->shared[2 * hosts + hosts * hosts + pair], 1, memory_order_relaxed);
        latency = delay->trace_ns[turn % delay->trace_length];
    }
    return at + latency;
}

uint64_t links_receive(struct links *links, int from, int to, int64_t bytes, uint64_t at) {
    uint64_t needs = interface_ns(links->topology, bytes);
    return from != to && needs > 0 ? occupy(&links->shared[links->topology->hosts + to], at, needs) : at;
}

uint64_t links_machine(void) {
    uint64_t hash = 14695981039346656037u; /* FNV-1a */
    char id[64] = "";
    int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    if (file < 0 || read(file, id, sizeof id - 1) <= 0)
        gethostname(id, sizeof id - 1);
    if (file >= 0)
        close(file);
    for (const char *c = id; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 1099511628211u;
    return hash;
}
