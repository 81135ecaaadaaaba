/* Runs every kind of collective, in its blocking, nonblocking and persistent form, on three communicators. By the plan,
 * one rank comes late to each collective, so the answers can be worked out by hand (many_collectives/README.md).
 *
 * Each collective has a beat, a time on the clock that all ranks share. Its root enters at the beat, the others from
 * 1 ms after it, half a millisecond apart in the order of ranks, and the late rank DELAY_MS after the beat, even if it
 * is the root. If the collective is nonblocking or persistent, each rank waits for it OVERLAP_MS after entering.
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

enum { RANKS = 6, BEAT_MS = 80, DELAY_MS = 30, OVERLAP_MS = 10, MS = 1000000 };

/* World, a duplicate of it, and its even and its odd ranks, each from the highest to the lowest: {4, 2, 0}, {5, 3, 1}.
 */
enum { WORLD, COPY, HALF, COMMS };

static int sent[256], received[256], counts[RANKS], threes[RANKS];
static int places[RANKS], wide_places[RANKS], byte_places[RANKS];
static MPI_Datatype types[RANKS];

#define UNWRAP(...) __VA_ARGS__
#define OPERATIONS(X)                                                                                                  \
    X(Allreduce, allreduce, (sent, received, 4, MPI_INT, MPI_SUM, comm))                                               \
    X(Barrier, barrier, (comm))                                                                                        \
    X(Bcast, bcast, (sent, 64, MPI_INT, root, comm))                                                                   \
    X(Reduce, reduce, (sent, received, 8, MPI_INT, MPI_SUM, root, comm))                                               \
    X(Gather, gather, (sent, 4, MPI_INT, received, 4, MPI_INT, root, comm))                                            \
    X(Gatherv, gatherv, (sent, counts[rank], MPI_INT, received, counts, places, MPI_INT, root, comm))                  \
    X(Scatter, scatter, (sent, 4, MPI_INT, received, 4, MPI_INT, root, comm))                                          \
    X(Scatterv, scatterv, (sent, counts, places, MPI_INT, received, counts[rank], MPI_INT, root, comm))                \
    X(Allgather, allgather, (sent, 2, MPI_INT, received, 2, MPI_INT, comm))                                            \
    X(Allgatherv, allgatherv, (sent, counts[rank], MPI_INT, received, counts, places, MPI_INT, comm))                  \
    X(Alltoall, alltoall, (sent, 1, MPI_INT, received, 1, MPI_INT, comm))                                              \
    X(Alltoallv, alltoallv, (sent, threes, wide_places, MPI_INT, received, threes, wide_places, MPI_INT, comm))        \
    X(Alltoallw, alltoallw, (sent, threes, byte_places, types, received, threes, byte_places, types, comm))            \
    X(Scan, scan, (sent, received, 2, MPI_INT, MPI_SUM, comm))                                                         \
    X(Exscan, exscan, (sent, received, 2, MPI_INT, MPI_SUM, comm))                                                     \
    X(Reduce_scatter, reduce_scatter, (sent, received, counts, MPI_INT, MPI_SUM, comm))                                \
    X(Reduce_scatter_block, reduce_scatter_block, (sent, received, 3, MPI_INT, MPI_SUM, comm))

#define NAME(Name, name, arguments) Name,
enum operation { OPERATIONS(NAME) };

enum form { BLOCKING, NONBLOCKING, PERSISTENT };

/* Root and late rank are ranks in the communicator, so each half has its own. */
static const struct collective {
    enum operation operation;
    enum form form;
    int comm, root, late_rank;
} plan[] = {
    {Barrier, BLOCKING, WORLD, 0, 5},
    {Bcast, BLOCKING, WORLD, 2, 2},
    {Bcast, BLOCKING, WORLD, 2, 4},
    {Reduce, BLOCKING, WORLD, 3, 1},
    {Reduce, BLOCKING, COPY, 3, 3},
    {Gather, BLOCKING, HALF, 1, 2},
    {Gatherv, BLOCKING, COPY, 4, 0},
    {Scatter, BLOCKING, HALF, 2, 2},
    {Scatterv, BLOCKING, COPY, 5, 5},
    {Scatter, BLOCKING, WORLD, 1, 3},
    {Allgather, BLOCKING, WORLD, 0, 1},
    {Allgatherv, BLOCKING, HALF, 0, 0},
    {Alltoall, BLOCKING, COPY, 0, 4},
    {Alltoallv, BLOCKING, WORLD, 0, 2},
    {Alltoallw, BLOCKING, HALF, 0, 1},
    {Scan, BLOCKING, WORLD, 0, 3},
    {Exscan, BLOCKING, COPY, 0, 2},
    {Exscan, BLOCKING, HALF, 0, 1},
    {Reduce_scatter, BLOCKING, COPY, 0, 5},
    {Reduce_scatter_block, BLOCKING, WORLD, 0, 0},
    {Allreduce, BLOCKING, HALF, 0, 2},
    {Allreduce, BLOCKING, WORLD, 0, 4},

    {Barrier, NONBLOCKING, COPY, 0, 1},
    {Bcast, NONBLOCKING, HALF, 1, 1},
    {Bcast, NONBLOCKING, WORLD, 4, 0},
    {Reduce, NONBLOCKING, WORLD, 5, 2},
    {Gather, NONBLOCKING, COPY, 2, 4},
    {Gatherv, NONBLOCKING, HALF, 2, 0},
    {Scatter, NONBLOCKING, WORLD, 3, 3},
    {Scatterv, NONBLOCKING, HALF, 1, 2},
    {Allgather, NONBLOCKING, COPY, 0, 5},
    {Allgatherv, NONBLOCKING, WORLD, 0, 3},
    {Alltoall, NONBLOCKING, HALF, 0, 0},
    {Alltoallv, NONBLOCKING, COPY, 0, 1},
    {Alltoallw, NONBLOCKING, WORLD, 0, 4},
    {Scan, NONBLOCKING, COPY, 0, 1},
    {Exscan, NONBLOCKING, WORLD, 0, 3},
    {Reduce_scatter, NONBLOCKING, HALF, 0, 2},
    {Reduce_scatter_block, NONBLOCKING, COPY, 0, 2},
    {Allreduce, NONBLOCKING, WORLD, 0, 1},

    {Barrier, PERSISTENT, WORLD, 0, 3},
    {Bcast, PERSISTENT, COPY, 1, 1},
    {Bcast, PERSISTENT, COPY, 1, 5},
    {Reduce, PERSISTENT, HALF, 1, 0},
    {Gather, PERSISTENT, WORLD, 4, 2},
    {Scatter, PERSISTENT, COPY, 3, 3},
    {Alltoallv, PERSISTENT, HALF, 0, 2},
    {Exscan, PERSISTENT, WORLD, 0, 2},
    {Allreduce, PERSISTENT, COPY, 0, 0},
    {Allreduce, PERSISTENT, COPY, 0, 5},
};
enum { COLLECTIVES = sizeof plan / sizeof plan[0] };

static void sleep_until(int64_t ns) {
    struct timespec wake_time = {ns / (1000 * MS), ns % (1000 * MS)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &wake_time, NULL) != 0)
        continue;
}

static int64_t enter_after_beat(const struct collective *c, int rank) {
    if (rank == c->late_rank)
        return DELAY_MS * (int64_t)MS;
    return rank == c->root ? 0 : MS + rank * (int64_t)MS / 2;
}

static void call(const struct collective *c, MPI_Comm comm, int rank, MPI_Request *request) {
    const int root = c->root;
    switch (c->operation) {
#define CASE(Name, name, arguments)                                                                                    \
    case Name:                                                                                                         \
        if (c->form == BLOCKING)                                                                                       \
            MPI_##Name(UNWRAP arguments);                                                                              \
        else if (c->form == NONBLOCKING)                                                                               \
            MPI_I##name(UNWRAP arguments, request);                                                                    \
        else                                                                                                           \
            MPI_##Name##_init(UNWRAP arguments, MPI_INFO_NULL, request);                                               \
        break;
        OPERATIONS(CASE)
    }
}

/* Rank r's block of the v-forms has r + 1 numbers; each pair exchanges 3. */
static void lay_blocks(void) {
    for (int i = 0; i < RANKS; i++) {
        counts[i] = i + 1;
        threes[i] = 3;
        places[i] = i * (i + 1) / 2;
        wide_places[i] = 5 * i;
        byte_places[i] = wide_places[i] * (int)sizeof(int);
        types[i] = MPI_INT;
    }
}

int main(int argc, char **argv) {
    MPI_Comm comms[COMMS] = {MPI_COMM_WORLD};
    MPI_Request requests[COLLECTIVES];
    int world_rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size != RANKS)
        MPI_Abort(MPI_COMM_WORLD, 2);
    lay_blocks();
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[COPY]);
    MPI_Comm_split(MPI_COMM_WORLD, world_rank % 2, -world_rank, &comms[HALF]);
    for (int i = 0; i < COLLECTIVES; i++) {
        int rank;
        MPI_Comm_rank(comms[plan[i].comm], &rank);
        requests[i] = MPI_REQUEST_NULL;
        if (plan[i].form == PERSISTENT)
            call(&plan[i], comms[plan[i].comm], rank, &requests[i]);
    }
    /* At the first collective on a communicator, the collector makes one of its own. It does so here, before the plan
     * begins. */
    for (int c = 0; c < COMMS; c++)
        MPI_Barrier(comms[c]);
    struct timespec start;
    clock_gettime(CLOCK_MONOTONIC, &start);
    int64_t beat = (int64_t)start.tv_sec * 1000 * MS + start.tv_nsec;
    MPI_Bcast(&beat, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
    for (int i = 0; i < COLLECTIVES; i++) {
        const struct collective *c = &plan[i];
        int rank;
        MPI_Comm_rank(comms[c->comm], &rank);
        beat += BEAT_MS * (int64_t)MS;
        int64_t enter = beat + enter_after_beat(c, rank);
        sleep_until(enter);
        if (c->form == PERSISTENT)
            MPI_Start(&requests[i]);
        else
            call(c, comms[c->comm], rank, &requests[i]);
        if (c->form != BLOCKING) {
            sleep_until(enter + OVERLAP_MS * (int64_t)MS);
            MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
        }
        if (c->form == PERSISTENT)
            MPI_Request_free(&requests[i]);
    }
    MPI_Comm_free(&comms[HALF]);
    MPI_Comm_free(&comms[COPY]);
    MPI_Finalize();
}
