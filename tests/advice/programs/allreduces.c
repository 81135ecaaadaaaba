/* Calls some Allreduces of eight bytes. */
#include <mpi.h>

int main(int argc, char **argv) {
    double sum = 1;
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 10; i++)
        MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
