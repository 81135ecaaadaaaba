/* Every kind of collective, in its blocking, nonblocking and persistent form, on three communicators, by a plan in
 * which one rank comes late to each: the answers can be worked out by hand (many_collectives/README.md).
 *
 * A collective has a beat of the clock that all ranks share. Its root enters at the beat, the others from 1 ms on in
 * the order of ranks, half a millisecond apart, and the late rank, whichever it is, LATE_MS after the beat. A
 * nonblocking or persistent one is begun then and waited for OVERLAP_MS later, as if there were work to do meanwhile.
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

enum { RANKS = 6, BEAT_MS = 80, LATE_MS = 30, OVERLAP_MS = 10, MS = 1000000 };

/* World, a duplicate of it, and its even and its odd ranks, each from the highest to the lowest: {4, 2, 0}, {5, 3, 1}.
 */
enum { WORLD, COPY, HALF, COMMS };

static int in[256], out[256], few[RANKS], many[RANKS];
static int few_places[RANKS], far_places[RANKS], byte_places[RANKS];
static MPI_Datatype types[RANKS];

#define UNWRAP(...) __VA_ARGS__
#define OPERATIONS(X)                                                                                                  \
    X(Allreduce, allreduce, (in, out, 4, MPI_INT, MPI_SUM, comm))                                                      \
    X(Barrier, barrier, (comm))                                                                                        \
    X(Bcast, bcast, (in, 64, MPI_INT, root, comm))                                                                     \
    X(Reduce, reduce, (in, out, 8, MPI_INT, MPI_SUM, root, comm))                                                      \
    X(Gather, gather, (in, 4, MPI_INT, out, 4, MPI_INT, root, comm))                                                   \
    X(Gatherv, gatherv, (in, few[rank], MPI_INT, out, few, few_places, MPI_INT, root, comm))                           \
    X(Scatter, scatter, (in, 4, MPI_INT, out, 4, MPI_INT, root, comm))                                                 \
    X(Scatterv, scatterv, (in, few, few_places, MPI_INT, out, few[rank], MPI_INT, root, comm))                         \
    X(Allgather, allgather, (in, 2, MPI_INT, out, 2, MPI_INT, comm))                                                   \
    X(Allgatherv, allgatherv, (in, few[rank], MPI_INT, out, few, few_places, MPI_INT, comm))                           \
    X(Alltoall, alltoall, (in, 1, MPI_INT, out, 1, MPI_INT, comm))                                                     \
    X(Alltoallv, alltoallv, (in, many, far_places, MPI_INT, out, many, far_places, MPI_INT, comm))                     \
    X(Alltoallw, alltoallw, (in, many, byte_places, types, out, many, byte_places, types, comm))                       \
    X(Scan, scan, (in, out, 2, MPI_INT, MPI_SUM, comm))                                                                \
    X(Exscan, exscan, (in, out, 2, MPI_INT, MPI_SUM, comm))                                                            \
    X(Reduce_scatter, reduce_scatter, (in, out, few, MPI_INT, MPI_SUM, comm))                                          \
    X(Reduce_scatter_block, reduce_scatter_block, (in, out, 3, MPI_INT, MPI_SUM, comm))

#define NAME(Name, name, arguments) Name,
enum operation { OPERATIONS(NAME) };

enum form { PLAIN, BEGUN, KEPT }; /* blocking, nonblocking, persistent */

/* Root and late rank are those of the communicator; so each half has its own. */
static const struct collective {
    enum operation operation;
    enum form form;
    int comm, root, late;
} plan[] = {
    {Barrier, PLAIN, WORLD, 0, 5},
    {Bcast, PLAIN, WORLD, 2, 2},
    {Bcast, PLAIN, WORLD, 2, 4},
    {Reduce, PLAIN, WORLD, 3, 1},
    {Reduce, PLAIN, COPY, 3, 3},
    {Gather, PLAIN, HALF, 1, 2},
    {Gatherv, PLAIN, COPY, 4, 0},
    {Scatter, PLAIN, HALF, 2, 2},
    {Scatterv, PLAIN, COPY, 5, 5},
    {Scatter, PLAIN, WORLD, 1, 3},
    {Allgather, PLAIN, WORLD, 0, 1},
    {Allgatherv, PLAIN, HALF, 0, 0},
    {Alltoall, PLAIN, COPY, 0, 4},
    {Alltoallv, PLAIN, WORLD, 0, 2},
    {Alltoallw, PLAIN, HALF, 0, 1},
    {Scan, PLAIN, WORLD, 0, 3},
    {Exscan, PLAIN, COPY, 0, 2},
    {Exscan, PLAIN, HALF, 0, 1},
    {Reduce_scatter, PLAIN, COPY, 0, 5},
    {Reduce_scatter_block, PLAIN, WORLD, 0, 0},
    {Allreduce, PLAIN, HALF, 0, 2},
    {Allreduce, PLAIN, WORLD, 0, 4},

    {Barrier, BEGUN, COPY, 0, 1},
    {Bcast, BEGUN, HALF, 1, 1},
    {Bcast, BEGUN, WORLD, 4, 0},
    {Reduce, BEGUN, WORLD, 5, 2},
    {Gather, BEGUN, COPY, 2, 4},
    {Gatherv, BEGUN, HALF, 2, 0},
    {Scatter, BEGUN, WORLD, 3, 3},
    {Scatterv, BEGUN, HALF, 1, 2},
    {Allgather, BEGUN, COPY, 0, 5},
    {Allgatherv, BEGUN, WORLD, 0, 3},
    {Alltoall, BEGUN, HALF, 0, 0},
    {Alltoallv, BEGUN, COPY, 0, 1},
    {Alltoallw, BEGUN, WORLD, 0, 4},
    {Scan, BEGUN, COPY, 0, 1},
    {Exscan, BEGUN, WORLD, 0, 3},
    {Reduce_scatter, BEGUN, HALF, 0, 2},
    {Reduce_scatter_block, BEGUN, COPY, 0, 2},
    {Allreduce, BEGUN, WORLD, 0, 1},

    {Barrier, KEPT, WORLD, 0, 3},
    {Bcast, KEPT, COPY, 1, 1},
    {Bcast, KEPT, COPY, 1, 5},
    {Reduce, KEPT, HALF, 1, 0},
    {Gather, KEPT, WORLD, 4, 2},
    {Scatter, KEPT, COPY, 3, 3},
    {Alltoallv, KEPT, HALF, 0, 2},
    {Exscan, KEPT, WORLD, 0, 2},
    {Allreduce, KEPT, COPY, 0, 0},
    {Allreduce, KEPT, COPY, 0, 5},
};
enum { COLLECTIVES = sizeof plan / sizeof plan[0] };

static void sleep_until(int64_t ns) {
    struct timespec until = {ns / (1000 * MS), ns % (1000 * MS)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) != 0)
        continue;
}

static int64_t enter_after_beat(const struct collective *c, int rank) {
    if (rank == c->late)
        return LATE_MS * (int64_t)MS;
    return rank == c->root ? 0 : MS + rank * (int64_t)MS / 2;
}

static void call(const struct collective *c, MPI_Comm comm, int rank, MPI_Request *request) {
    const int root = c->root;
    switch (c->operation) {
#define CASE(Name, name, arguments)                                                                                    \
    case Name:                                                                                                         \
        if (c->form == PLAIN)                                                                                          \
            MPI_##Name(UNWRAP arguments);                                                                              \
        else if (c->form == BEGUN)                                                                                     \
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
        few[i] = i + 1;
        many[i] = 3;
        few_places[i] = i * (i + 1) / 2;
        far_places[i] = 5 * i;
        byte_places[i] = far_places[i] * (int)sizeof(int);
        types[i] = MPI_INT;
    }
}

int main(int argc, char **argv) {
    MPI_Comm comms[COMMS] = {MPI_COMM_WORLD};
    MPI_Request kept[COLLECTIVES];
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
        kept[i] = MPI_REQUEST_NULL;
        if (plan[i].form == KEPT)
            call(&plan[i], comms[plan[i].comm], rank, &kept[i]);
    }
    /* The collector makes its own communicator for each at its first collective: that is over before the plan begins.
     */
    for (int c = 0; c < COMMS; c++)
        MPI_Barrier(comms[c]);
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    int64_t beat = (int64_t)now.tv_sec * 1000 * MS + now.tv_nsec;
    MPI_Bcast(&beat, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
    for (int i = 0; i < COLLECTIVES; i++) {
        const struct collective *c = &plan[i];
        int rank;
        MPI_Comm_rank(comms[c->comm], &rank);
        beat += BEAT_MS * (int64_t)MS;
        int64_t enter = beat + enter_after_beat(c, rank);
        sleep_until(enter);
        if (c->form == KEPT)
            MPI_Start(&kept[i]);
        else
            call(c, comms[c->comm], rank, &kept[i]);
        if (c->form != PLAIN) {
            sleep_until(enter + OVERLAP_MS * (int64_t)MS);
            MPI_Wait(&kept[i], MPI_STATUS_IGNORE);
        }
        if (c->form == KEPT)
            MPI_Request_free(&kept[i]);
    }
    MPI_Comm_free(&comms[HALF]);
    MPI_Comm_free(&comms[COPY]);
    MPI_Finalize();
}
