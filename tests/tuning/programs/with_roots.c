/* Allreduce, Bcast from rank 1 and Reduce to rank 1, five times each: with_roots BYTES. */
#include <mpi.h>
#include <stdlib.h>

enum { ITERATIONS = 5, MOST = 1 << 16 };

static double from[MOST / sizeof(double)], to[MOST / sizeof(double)];

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int count = argc == 2 ? atoi(argv[1]) / (int)sizeof(double) : 1;
    for (int i = 0; i < ITERATIONS; i++) {
        MPI_Allreduce(from, to, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        MPI_Bcast(to, count, MPI_DOUBLE, 1, MPI_COMM_WORLD);
        MPI_Reduce(from, to, count, MPI_DOUBLE, MPI_SUM, 1, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
