/* Allreduce, Bcast and Barrier in turn. */
#include <mpi.h>

enum { ROUNDS = 20 };

int main(int argc, char **argv) {
    double values[10] = {0}, sums[10];
    MPI_Init(&argc, &argv);
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Allreduce(values, sums, 10, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        MPI_Bcast(values, 10, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
}
