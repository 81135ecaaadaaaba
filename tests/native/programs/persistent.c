/* Persistent collectives with few and many bytes, on MPI_COMM_WORLD, on halves of it and between the halves. Each is
 * started several times, in an order that differs between members. Meanwhile a nonblocking collective and a Barrier on
 * another communicator run. Results are checked. */
#include "collective_arguments.h"

#if OMPI_MAJOR_VERSION == 4
#include <mpi-ext.h>
#define MPI_Allreduce_init MPIX_Allreduce_init
#define MPI_Barrier_init MPIX_Barrier_init
#define MPI_Bcast_init MPIX_Bcast_init
#define MPI_Reduce_init MPIX_Reduce_init
#define MPI_Gather_init MPIX_Gather_init
#define MPI_Gatherv_init MPIX_Gatherv_init
#define MPI_Scatter_init MPIX_Scatter_init
#define MPI_Scatterv_init MPIX_Scatterv_init
#define MPI_Allgather_init MPIX_Allgather_init
#define MPI_Allgatherv_init MPIX_Allgatherv_init
#define MPI_Alltoall_init MPIX_Alltoall_init
#define MPI_Alltoallv_init MPIX_Alltoallv_init
#define MPI_Alltoallw_init MPIX_Alltoallw_init
#define MPI_Reduce_scatter_init MPIX_Reduce_scatter_init
#define MPI_Reduce_scatter_block_init MPIX_Reduce_scatter_block_init
#define MPI_Scan_init MPIX_Scan_init
#define MPI_Exscan_init MPIX_Exscan_init
#endif

enum { KINDS = 17, ROUNDS = 3 };

/* Makes the requests. Each kind has its own share of b. */
static int make(MPI_Comm comm, struct lists l, int size, int n, double *a, double *b, MPI_Request *r) {
    MPI_Info i = MPI_INFO_NULL;
    int k = 0;
    double *outputs[KINDS];
    for (int kind = 0; kind < KINDS; kind++)
        outputs[kind] = b + (size_t)kind * (size_t)(n * size);
    MPI_Allreduce_init(a, outputs[k], n, MPI_DOUBLE, MPI_SUM, comm, i, &r[k]), k++;
    MPI_Barrier_init(comm, i, &r[k]), k++;
    MPI_Bcast_init(outputs[k], n, MPI_DOUBLE, 0, comm, i, &r[k]), k++;
    MPI_Reduce_init(a, outputs[k], n, MPI_DOUBLE, MPI_SUM, size - 1, comm, i, &r[k]), k++;
    MPI_Gather_init(a, n, MPI_DOUBLE, outputs[k], n, MPI_DOUBLE, 0, comm, i, &r[k]), k++;
    MPI_Gatherv_init(a, n, MPI_DOUBLE, outputs[k], l.counts, l.starts, MPI_DOUBLE, 0, comm, i, &r[k]), k++;
    MPI_Scatter_init(a, n, MPI_DOUBLE, outputs[k], n, MPI_DOUBLE, 0, comm, i, &r[k]), k++;
    MPI_Scatterv_init(a, l.counts, l.starts, MPI_DOUBLE, outputs[k], n, MPI_DOUBLE, 0, comm, i, &r[k]), k++;
    MPI_Allgather_init(a, n, MPI_DOUBLE, outputs[k], n, MPI_DOUBLE, comm, i, &r[k]), k++;
    MPI_Allgatherv_init(a, n, MPI_DOUBLE, outputs[k], l.counts, l.starts, MPI_DOUBLE, comm, i, &r[k]), k++;
    MPI_Alltoall_init(a, n, MPI_DOUBLE, outputs[k], n, MPI_DOUBLE, comm, i, &r[k]), k++;
    MPI_Alltoallv_init(a, l.counts, l.starts, MPI_DOUBLE, outputs[k], l.counts, l.starts, MPI_DOUBLE, comm, i, &r[k]),
        k++;
    MPI_Alltoallw_init(a, l.counts, l.bytes, l.types, outputs[k], l.counts, l.bytes, l.types, comm, i, &r[k]), k++;
    MPI_Reduce_scatter_init(a, outputs[k], l.counts, MPI_DOUBLE, MPI_SUM, comm, i, &r[k]), k++;
    MPI_Reduce_scatter_block_init(a, outputs[k], n, MPI_DOUBLE, MPI_SUM, comm, i, &r[k]), k++;
    MPI_Scan_init(a, outputs[k], n, MPI_DOUBLE, MPI_SUM, comm, i, &r[k]), k++;
    MPI_Exscan_init(a, outputs[k], n, MPI_DOUBLE, MPI_SUM, comm, i, &r[k]), k++;
    return k;
}

static void start_all(MPI_Comm comm, MPI_Comm second_comm, int size, int n) {
    MPI_Request requests[KINDS], nonblocking;
    int rank, count;
    size_t values = (size_t)n * (size_t)size;
    double *a = calloc(values, sizeof *a), *b = calloc(values * KINDS, sizeof *b), sum = 0;
    struct lists l = make_lists(size, n);
    MPI_Comm_rank(comm, &rank);
    count = make(comm, l, size, n, a, b, requests);
    for (int round = 0; round < ROUNDS; round++) {
        a[0] = round + 1;
        b[0] = 0;
        if (round == 0)
            MPI_Startall(count, requests);
        /* The order of starts differs between members. */
        for (int i = 0; round > 0 && i < count; i++)
            MPI_Start(&requests[(i * 5 + rank) % count]);
        MPI_Iallreduce(a, &sum, 1, MPI_DOUBLE, MPI_SUM, comm, &nonblocking);
        MPI_Barrier(second_comm);
        MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
        MPI_Wait(&nonblocking, MPI_STATUS_IGNORE);
        expect(b[0], size * (round + 1), "MPI_Allreduce_init");
        expect(sum, size * (round + 1), "MPI_Iallreduce");
    }
    for (int i = 0; i < count; i++)
        MPI_Request_free(&requests[i]);
    free_lists(l);
    free(a);
    free(b);
}

/* On an intercommunicator some collectives pass messages inside the groups too. */
static void start_between_groups(MPI_Comm group, int rank) {
    enum { KIND_COUNT = 3, VALUES = 20000 };
    MPI_Request requests[KIND_COUNT];
    MPI_Comm intercomm;
    int size, remote_size;
    double *a = calloc(VALUES, sizeof *a), *b = calloc(VALUES, sizeof *b), sum = 0;
    MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, 1 - rank % 2, 7, &intercomm);
    MPI_Comm_size(intercomm, &size);
    MPI_Comm_remote_size(intercomm, &remote_size);
    MPI_Reduce_scatter_block_init(a, b, 10 * remote_size, MPI_DOUBLE, MPI_SUM, intercomm, MPI_INFO_NULL, &requests[0]);
    MPI_Allreduce_init(a, &sum, 1, MPI_DOUBLE, MPI_SUM, intercomm, MPI_INFO_NULL, &requests[1]);
    MPI_Barrier_init(intercomm, MPI_INFO_NULL, &requests[2]);
    for (int round = 0; round < ROUNDS; round++) {
        a[0] = round;
        MPI_Startall(KIND_COUNT, requests);
        MPI_Waitall(KIND_COUNT, requests, MPI_STATUSES_IGNORE);
        expect(sum, remote_size * round, "MPI_Allreduce_init between groups");
    }
    for (int i = 0; i < KIND_COUNT; i++)
        MPI_Request_free(&requests[i]);
    MPI_Comm_free(&intercomm);
    free(a);
    free(b);
}

int main(int argc, char **argv) {
    static const int counts[] = {1, 100, 10000};
    int rank;
    MPI_Comm half;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    for (int i = 0; i < 3; i++) {
        MPI_Comm comms[] = {MPI_COMM_WORLD, half};
        for (int c = 0; c < 2; c++) {
            int size;
            MPI_Comm_size(comms[c], &size);
            start_all(comms[c], comms[!c], size, counts[i]);
        }
    }
    start_between_groups(half, rank);
    MPI_Comm_free(&half);
    MPI_Finalize();
}
