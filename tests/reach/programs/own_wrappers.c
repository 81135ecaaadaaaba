/* Calls MPI through functions of its own, one of them two deep, and once directly. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void check(int error) {
    if (error != MPI_SUCCESS)
        exit(1);
}

__attribute__((noinline)) void barrier(void) {
    check(MPI_Barrier(MPI_COMM_WORLD)); /* barrier */
}

__attribute__((noinline)) void sum(double *values, int count) {
    check(MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD)); /* sum */
}

__attribute__((noinline)) void mean(double *value) {
    sum(value, 1); /* mean */
    *value /= 2;
}

__attribute__((noinline)) double step(double value) {
    barrier();    /* step waits */
    mean(&value); /* step sums */
    return value + 1;
}

__attribute__((noinline)) double finish(double value) {
    mean(&value); /* finish sums */
    barrier();    /* finish waits */
    return value;
}

__attribute__((noinline)) double share(double value) {
    MPI_Bcast(&value, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD); /* share */
    return value + 1;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    double value = share(1);
    for (int i = 0; i < 3; i++)
        value = step(value);
    printf("%g\n", finish(value));
    MPI_Finalize();
    return 0;
}
