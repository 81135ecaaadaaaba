/* All collectives, blocking and nonblocking, with few and many bytes, on MPI_COMM_WORLD, on two halves of it and on a
 * grid. Some nonblocking ones make progress inside calls on other communicators. Results are checked. */
#include "collective_arguments.h"

static void blocking(MPI_Comm comm, int size, int n, double *a, double *b) {
    struct lists l = make_lists(size, n);
    a[0] = 1;
    MPI_Barrier(comm);
    MPI_Bcast(a, n, MPI_DOUBLE, 0, comm);
    MPI_Bcast(a, n, MPI_DOUBLE, size - 1, comm);
    MPI_Reduce(a, b, n, MPI_DOUBLE, MPI_SUM, size - 1, comm);
    MPI_Allreduce(a, b, n, MPI_DOUBLE, MPI_SUM, comm);
    expect(b[0], size, "MPI_Allreduce");
    MPI_Gather(a, n, MPI_DOUBLE, b, n, MPI_DOUBLE, 0, comm);
    MPI_Gatherv(a, n, MPI_DOUBLE, b, l.counts, l.starts, MPI_DOUBLE, 0, comm);
    MPI_Scatter(a, n, MPI_DOUBLE, b, n, MPI_DOUBLE, 0, comm);
    MPI_Scatterv(a, l.counts, l.starts, MPI_DOUBLE, b, n, MPI_DOUBLE, 0, comm);
    MPI_Allgather(a, n, MPI_DOUBLE, b, n, MPI_DOUBLE, comm);
    expect(b[n * (size - 1)], 1, "MPI_Allgather");
    MPI_Allgatherv(a, n, MPI_DOUBLE, b, l.counts, l.starts, MPI_DOUBLE, comm);
    MPI_Alltoall(a, n, MPI_DOUBLE, b, n, MPI_DOUBLE, comm);
    MPI_Alltoallv(a, l.counts, l.starts, MPI_DOUBLE, b, l.counts, l.starts, MPI_DOUBLE, comm);
    MPI_Alltoallw(a, l.counts, l.bytes, l.types, b, l.counts, l.bytes, l.types, comm);
    MPI_Reduce_scatter(a, b, l.counts, MPI_DOUBLE, MPI_SUM, comm);
    MPI_Reduce_scatter_block(a, b, n, MPI_DOUBLE, MPI_SUM, comm);
    MPI_Scan(a, b, n, MPI_DOUBLE, MPI_SUM, comm);
    MPI_Exscan(a, b, n, MPI_DOUBLE, MPI_SUM, comm);
    free_lists(l);
}

static void nonblocking(MPI_Comm comm, MPI_Comm second_comm, int size, int n, double *a, double *b) {
    MPI_Request requests[3];
    MPI_Ibarrier(comm, &requests[0]);
    MPI_Wait(requests, MPI_STATUS_IGNORE);
    a[0] = 2;
    MPI_Iallreduce(a, b, n, MPI_DOUBLE, MPI_SUM, comm, &requests[0]);
    MPI_Barrier(second_comm);
    MPI_Wait(requests, MPI_STATUS_IGNORE);
    expect(b[0], 2 * size, "MPI_Iallreduce");
    MPI_Ibcast(a, n, MPI_DOUBLE, 0, comm, &requests[0]);
    MPI_Ireduce(a, b, n, MPI_DOUBLE, MPI_SUM, 0, comm, &requests[1]);
    MPI_Ialltoall(a, n, MPI_DOUBLE, b + n * size, n, MPI_DOUBLE, comm, &requests[2]);
    MPI_Barrier(comm);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
}

static void on_a_grid(int size) {
    int dims[2] = {0, 0}, periods[2] = {1, 1};
    double input[4] = {1, 2, 3, 4}, output[4];
    MPI_Comm grid;
    MPI_Dims_create(size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    MPI_Neighbor_allgather(input, 1, MPI_DOUBLE, output, 1, MPI_DOUBLE, grid);
    expect(output[3], 1, "MPI_Neighbor_allgather");
    MPI_Neighbor_alltoall(input, 1, MPI_DOUBLE, output, 1, MPI_DOUBLE, grid);
    MPI_Comm_free(&grid);
}

int main(int argc, char **argv) {
    static const int counts[] = {1, 100, 30000};
    int rank, size;
    MPI_Comm half;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    for (int i = 0; i < 3; i++) {
        MPI_Comm comms[] = {MPI_COMM_WORLD, half};
        for (int c = 0; c < 2; c++) {
            int members;
            MPI_Comm_size(comms[c], &members);
            size_t values = (size_t)counts[i] * (size_t)members * 2;
            double *a = calloc(values, sizeof *a), *b = calloc(values, sizeof *b);
            blocking(comms[c], members, counts[i], a, b);
            nonblocking(comms[c], comms[!c], members, counts[i], a, b);
            free(a);
            free(b);
        }
    }
    on_a_grid(size);
    MPI_Comm_free(&half);
    if (rank == 0)
        printf("all right\n");
    MPI_Finalize();
}
