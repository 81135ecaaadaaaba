/* One collective of each kind that has no hops under MPICH, and some that pass no messages at all. Persistent ones are
 * started only once, with release 4 of the standard or later: MPICH itself fails in repeated starts. */
#include "collective_arguments.h"

static void between_groups(int rank) {
    MPI_Comm group, intercomm;
    MPI_Request request;
    double value = 1, sum = 0;
    int remote_size;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &group);
    MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, 1 - rank % 2, 7, &intercomm);
    MPI_Comm_remote_size(intercomm, &remote_size);
    MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, intercomm);
    MPI_Ibarrier(intercomm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect(sum, remote_size, "MPI_Allreduce between groups");
    MPI_Comm_free(&intercomm);
    MPI_Comm_free(&group);
}

static void persistent(void) {
#if MPI_VERSION >= 4
    MPI_Request requests[2];
    double value = 1, sum = 0;
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Allreduce_init(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
    MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
    MPI_Start(&requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Startall(1, &requests[1]);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    expect(sum, size, "MPI_Allreduce_init");
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
#endif
}

static void on_a_ring(int size) {
    double input[2] = {1, 2}, output[2];
    MPI_Comm ring;
    MPI_Cart_create(MPI_COMM_WORLD, 1, (int[]){size}, (int[]){1}, 0, &ring);
    MPI_Neighbor_alltoall(input, 1, MPI_DOUBLE, output, 1, MPI_DOUBLE, ring);
    MPI_Comm_free(&ring);
}

int main(int argc, char **argv) {
    int rank, size;
    double value = 1, sum = 0;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Iallreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect(sum, size, "MPI_Iallreduce");
    MPI_Ibcast(&value, 0, MPI_DOUBLE, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Iallreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    persistent();
    on_a_ring(size);
    between_groups(rank);
    MPI_Finalize();
}
