/* Every blocking collective, at least once. Each rank prints its results, so that two runs can be compared. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 16 };

static int rank, size;

static void print(const char *what, const int *values, int count) {
    printf("%d %s", rank, what);
    for (int i = 0; i < count; i++)
        printf(" %d", values[i]);
    printf("\n");
}

static void rooted(MPI_Comm comm) {
    for (int root = 0; root < size; root++) {
        int mine[2] = {rank + 1, rank * rank}, out[2 * MOST] = {0}, counts[MOST], places[MOST];
        for (int i = 0; i < size; i++) {
            counts[i] = i % 3;
            places[i] = 2 * i;
        }
        MPI_Bcast(mine, 2, MPI_INT, root, comm);
        print("bcast", mine, 2);
        mine[0] = rank + 3;
        MPI_Reduce(mine, out, 2, MPI_INT, MPI_SUM, root, comm);
        print("reduce", out, 2);
        MPI_Gather(mine, 2, MPI_INT, out, 2, MPI_INT, root, comm);
        print("gather", out, 2 * size);
        MPI_Gatherv(mine, counts[rank], MPI_INT, out, counts, places, MPI_INT, root, comm);
        print("gatherv", out, 2 * size);
        MPI_Scatter(out, 2, MPI_INT, mine, 2, MPI_INT, root, comm);
        MPI_Scatterv(out, counts, places, MPI_INT, mine, counts[rank], MPI_INT, root, comm);
        print("scatterv", mine, 2);
    }
}

static void unrooted(MPI_Comm comm) {
    int mine[2 * MOST], out[2 * MOST] = {0}, counts[MOST], places[MOST];
    MPI_Datatype types[MOST];
    for (int i = 0; i < 2 * size; i++)
        mine[i] = rank * 100 + i;
    for (int i = 0; i < size; i++) {
        counts[i] = 1;
        places[i] = i;
        types[i] = MPI_INT;
    }
    MPI_Allreduce(mine, out, size, MPI_INT, MPI_MAX, comm);
    print("allreduce", out, size);
    MPI_Allgather(mine, 1, MPI_INT, out, 1, MPI_INT, comm);
    print("allgather", out, size);
    MPI_Allgatherv(mine, 1, MPI_INT, out, counts, places, MPI_INT, comm);
    MPI_Alltoall(mine, 1, MPI_INT, out, 1, MPI_INT, comm);
    print("alltoall", out, size);
    MPI_Alltoallv(mine, counts, places, MPI_INT, out, counts, places, MPI_INT, comm);
    for (int i = 0; i < size; i++)
        places[i] = i * (int)sizeof(int);
    MPI_Alltoallw(mine, counts, places, types, out, counts, places, types, comm);
    print("alltoallw", out, size);
    MPI_Reduce_scatter(mine, out, counts, MPI_INT, MPI_SUM, comm);
    MPI_Reduce_scatter_block(mine, out, 1, MPI_INT, MPI_SUM, comm);
    print("reduce_scatter", out, 1);
    MPI_Scan(mine, out, 2, MPI_INT, MPI_SUM, comm);
    print("scan", out, 2);
    MPI_Exscan(mine, out, 2, MPI_INT, MPI_SUM, comm);
    print("exscan", out, 2);
    MPI_Allreduce(MPI_IN_PLACE, mine, size, MPI_INT, MPI_SUM, comm);
    print("in place", mine, size);
    MPI_Barrier(comm);
}

static void neighbours(MPI_Comm comm) {
    int extent = size, periodic = 1, out[4], counts[2] = {1, 1}, places[2] = {0, 1};
    MPI_Aint displacements[2] = {0, sizeof(int)};
    MPI_Datatype types[2] = {MPI_INT, MPI_INT};
    int mine[2] = {rank, -rank};
    MPI_Comm ring;
    MPI_Cart_create(comm, 1, &extent, &periodic, 0, &ring);
    MPI_Neighbor_allgather(mine, 1, MPI_INT, out, 1, MPI_INT, ring);
    print("neighbor_allgather", out, 2);
    MPI_Neighbor_allgatherv(mine, 1, MPI_INT, out, counts, places, MPI_INT, ring);
    MPI_Neighbor_alltoall(mine, 1, MPI_INT, out, 1, MPI_INT, ring);
    print("neighbor_alltoall", out, 2);
    MPI_Neighbor_alltoallv(mine, counts, places, MPI_INT, out, counts, places, MPI_INT, ring);
    MPI_Neighbor_alltoallw(mine, counts, displacements, types, out, counts, displacements, types, ring);
    print("neighbor_alltoallw", out, 2);
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
