/* Runs every blocking collective at least once. Each rank prints its results, so that two runs can be compared. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { MAX_RANKS = 16 };

static int rank, size;

static void print(const char *operation, const int *values, int count) {
    printf("%d %s", rank, operation);
    for (int i = 0; i < count; i++)
        printf(" %d", values[i]);
    printf("\n");
}

static void rooted(MPI_Comm comm) {
    for (int root = 0; root < size; root++) {
        int send_buffer[2] = {rank + 1, rank * rank}, receive_buffer[2 * MAX_RANKS] = {0}, counts[MAX_RANKS],
            places[MAX_RANKS];
        for (int i = 0; i < size; i++) {
            counts[i] = i % 3;
            places[i] = 2 * i;
        }
        MPI_Bcast(send_buffer, 2, MPI_INT, root, comm);
        print("bcast", send_buffer, 2);
        send_buffer[0] = rank + 3;
        MPI_Reduce(send_buffer, receive_buffer, 2, MPI_INT, MPI_SUM, root, comm);
        print("reduce", receive_buffer, 2);
        MPI_Gather(send_buffer, 2, MPI_INT, receive_buffer, 2, MPI_INT, root, comm);
        print("gather", receive_buffer, 2 * size);
        MPI_Gatherv(send_buffer, counts[rank], MPI_INT, receive_buffer, counts, places, MPI_INT, root, comm);
        print("gatherv", receive_buffer, 2 * size);
        MPI_Scatter(receive_buffer, 2, MPI_INT, send_buffer, 2, MPI_INT, root, comm);
        MPI_Scatterv(receive_buffer, counts, places, MPI_INT, send_buffer, counts[rank], MPI_INT, root, comm);
        print("scatterv", send_buffer, 2);
    }
}

static void unrooted(MPI_Comm comm) {
    int send_buffer[2 * MAX_RANKS], receive_buffer[2 * MAX_RANKS] = {0}, counts[MAX_RANKS], places[MAX_RANKS];
    MPI_Datatype types[MAX_RANKS];
    for (int i = 0; i < 2 * size; i++)
        send_buffer[i] = rank * 100 + i;
    for (int i = 0; i < size; i++) {
        counts[i] = 1;
        places[i] = i;
        types[i] = MPI_INT;
    }
    MPI_Allreduce(send_buffer, receive_buffer, size, MPI_INT, MPI_MAX, comm);
    print("allreduce", receive_buffer, size);
    MPI_Allgather(send_buffer, 1, MPI_INT, receive_buffer, 1, MPI_INT, comm);
    print("allgather", receive_buffer, size);
    MPI_Allgatherv(send_buffer, 1, MPI_INT, receive_buffer, counts, places, MPI_INT, comm);
    MPI_Alltoall(send_buffer, 1, MPI_INT, receive_buffer, 1, MPI_INT, comm);
    print("alltoall", receive_buffer, size);
    MPI_Alltoallv(send_buffer, counts, places, MPI_INT, receive_buffer, counts, places, MPI_INT, comm);
    for (int i = 0; i < size; i++)
        places[i] = i * (int)sizeof(int);
    MPI_Alltoallw(send_buffer, counts, places, types, receive_buffer, counts, places, types, comm);
    print("alltoallw", receive_buffer, size);
    MPI_Reduce_scatter(send_buffer, receive_buffer, counts, MPI_INT, MPI_SUM, comm);
    MPI_Reduce_scatter_block(send_buffer, receive_buffer, 1, MPI_INT, MPI_SUM, comm);
    print("reduce_scatter", receive_buffer, 1);
    MPI_Scan(send_buffer, receive_buffer, 2, MPI_INT, MPI_SUM, comm);
    print("scan", receive_buffer, 2);
    MPI_Exscan(send_buffer, receive_buffer, 2, MPI_INT, MPI_SUM, comm);
    print("exscan", receive_buffer, 2);
    MPI_Allreduce(MPI_IN_PLACE, send_buffer, size, MPI_INT, MPI_SUM, comm);
    print("in place", send_buffer, size);
    MPI_Barrier(comm);
}

static void neighbours(MPI_Comm comm) {
    int extent = size, periodic = 1, receive_buffer[4], counts[2] = {1, 1}, places[2] = {0, 1};
    MPI_Aint displacements[2] = {0, sizeof(int)};
    MPI_Datatype types[2] = {MPI_INT, MPI_INT};
    int send_buffer[2] = {rank, -rank};
    MPI_Comm ring;
    MPI_Cart_create(comm, 1, &extent, &periodic, 0, &ring);
    MPI_Neighbor_allgather(send_buffer, 1, MPI_INT, receive_buffer, 1, MPI_INT, ring);
    print("neighbor_allgather", receive_buffer, 2);
    MPI_Neighbor_allgatherv(send_buffer, 1, MPI_INT, receive_buffer, counts, places, MPI_INT, ring);
    MPI_Neighbor_alltoall(send_buffer, 1, MPI_INT, receive_buffer, 1, MPI_INT, ring);
    print("neighbor_alltoall", receive_buffer, 2);
    MPI_Neighbor_alltoallv(send_buffer, counts, places, MPI_INT, receive_buffer, counts, places, MPI_INT, ring);
    MPI_Neighbor_alltoallw(send_buffer, counts, displacements, types, receive_buffer, counts, displacements, types,
                           ring);
    print("neighbor_alltoallw", receive_buffer, 2);
    MPI_Comm_free(&ring);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    rooted(MPI_COMM_WORLD);
    unrooted(MPI_COMM_WORLD);
    neighbours(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
