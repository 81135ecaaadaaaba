/* Calls an Allreduce from a function that the compiler inlines. */
#include <mpi.h>

static inline __attribute__((always_inline)) void sum(double *value) {
    MPI_Allreduce(MPI_IN_PLACE, value, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* here */
}

__attribute__((noinline)) void step(double *value) {
    sum(value); /* around it */
    *value += 1;
}

int main(int argc, char **argv) {
    double value = 1;
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 3; i++)
        step(&value);
    MPI_Finalize();
    return 0;
}
