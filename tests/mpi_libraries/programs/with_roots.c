/* Calls Allreduce, Bcast from rank 1 and Reduce to rank 1, five times each: with_roots BYTES. */
#include <mpi.h>
#include <stdlib.h>

enum { ITERATIONS = 5, BUFFER_BYTES = 1 << 16 };

static double input[BUFFER_BYTES / sizeof(double)], output[BUFFER_BYTES / sizeof(double)];

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int count = argc == 2 ? atoi(argv[1]) / (int)sizeof(double) : 1;
    for (int i = 0; i < ITERATIONS; i++) {
        MPI_Allreduce(input, output, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        MPI_Bcast(output, count, MPI_DOUBLE, 1, MPI_COMM_WORLD);
        MPI_Reduce(input, output, count, MPI_DOUBLE, MPI_SUM, 1, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
