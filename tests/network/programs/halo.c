/* A ring of ranks: each exchanges a halo with both neighbours, then all call an Allreduce of one number. Rank 0 prints
 * the mean time of an iteration in nanoseconds. */
#include <mpi.h>
#include <stdio.h>

enum { ROUNDS = 15, HALO = 25000 };

static double halo[2][HALO], ghost[2][HALO];

int main(int argc, char **argv) {
    int rank, size;
    double value = 1, sum, begin;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int left = (rank + size - 1) % size, right = (rank + 1) % size;
    MPI_Barrier(MPI_COMM_WORLD);
    begin = MPI_Wtime();
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Request requests[4];
        MPI_Irecv(ghost[0], HALO, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(ghost[1], HALO, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &requests[1]);
        MPI_Isend(halo[1], HALO, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &requests[2]);
        MPI_Isend(halo[0], HALO, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &requests[3]);
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
        MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    if (rank == 0)
        printf("%.0f\n", (MPI_Wtime() - begin) / ROUNDS * 1e9);
    MPI_Finalize();
}
