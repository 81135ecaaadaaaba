/* Repeats small blocking collectives. */
#include <mpi.h>

enum { ROUNDS = 20 };

int main(int argc, char **argv) {
    int value = 1, sum;
    MPI_Init(&argc, &argv);
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        MPI_Bcast(&sum, 1, MPI_INT, 0, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
}
