/* Repeats the same work and an Allreduce, so that all variability comes from the machine.
 *
 *     steady_work ITERATIONS MICROSECONDS
 *
 * The work of a rank is a number of additions: those that fit into MICROSECONDS on an idle core, in the best of some
 * tries. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static volatile unsigned long counter;

static void work(unsigned long count) {
    for (unsigned long i = 0; i < count; i++)
        counter += i;
}

/* The number of additions in this time, in the fastest of ten tries. */
static unsigned long calibrate(double seconds) {
    enum { TRIES = 10, ADDITIONS = 1000000 };
    double best = 1e9;
    for (int i = 0; i < TRIES; i++) {
        double begin = MPI_Wtime();
        work(ADDITIONS);
        double took = MPI_Wtime() - begin;
        best = took < best ? took : best;
    }
    return (unsigned long)(seconds / best * ADDITIONS);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    if (argc != 3) {
        fprintf(stderr, "usage: steady_work ITERATIONS MICROSECONDS\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    unsigned long count = calibrate(atof(argv[2]) * 1e-6);
    double value = 1, sum;
    for (long i = atol(argv[1]); i > 0; i--) {
        work(count);
        MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
