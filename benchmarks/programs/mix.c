/* What an iteration of several collectives takes:
 *
 *     mix ITERATIONS WORK_US OPERATION BYTES [OPERATION BYTES]...
 *
 * Each rank sleeps for a time of its own, up to WORK_US, then calls each operation: allreduce, reduce, bcast, barrier.
 * Prints the mean time from one iteration's last leave to the next one's, in ns; the first one sets things up. All
 * ranks share one machine's clock. A wrong sum or broadcast ends the job.
 */
#define _GNU_SOURCE
#include "nap.h"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Open MPI's MPI_Wtime counts from each rank's own start. */
static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void expect(int is_right, const char *operation) {
    if (is_right)
        return;
    fprintf(stderr, "mix: %s gave a wrong result\n", operation);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void call(const char *operation, int count, int iteration, int *mine, int *result) {
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int last = count > 0 ? count - 1 : 0, sum = ranks * (ranks - 1) / 2 + ranks * iteration;
    mine[last] = rank + iteration;
    result[last] = -1;
    if (strcmp(operation, "allreduce") == 0) {
        MPI_Allreduce(mine, result, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        expect(result[last] == sum, operation);
    } else if (strcmp(operation, "reduce") == 0) {
        MPI_Reduce(mine, result, count, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
        expect(rank != 0 || result[last] == sum, operation);
    } else if (strcmp(operation, "bcast") == 0) {
        MPI_Bcast(mine, count, MPI_INT, 0, MPI_COMM_WORLD);
        expect(mine[last] == iteration, operation);
    } else if (strcmp(operation, "barrier") == 0) {
        MPI_Barrier(MPI_COMM_WORLD);
    } else {
        expect(0, operation);
    }
}

int main(int argc, char **argv) {
    int rank, longest = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc < 5 || argc % 2 == 0)
        MPI_Abort(MPI_COMM_WORLD, 2);
    const int iterations = atoi(argv[1]), work_us = atoi(argv[2]);
    for (int i = 4; i < argc; i += 2)
        longest = atoi(argv[i]) > longest ? atoi(argv[i]) : longest;
    int *mine = calloc((size_t)longest, 1 + sizeof *mine), *result = calloc((size_t)longest, 1 + sizeof *result);
    double first = 0, last = 0;
    srand(1 + (unsigned)rank);
    for (int iteration = 0; iteration < iterations; iteration++) {
        nanosleep(&(struct timespec){.tv_nsec = 1000L * (work_us > 0 ? rand() % work_us : 0)}, NULL);
        for (int i = 3; i < argc; i += 2)
            call(argv[i], atoi(argv[i + 1]) / (int)sizeof *mine, iteration, mine, result);
        last = now();
        if (iteration == 0)
            first = last;
    }
    /* Past the collector: it is none of what is measured. */
    double ends[2] = {first, last}, latest[2];
    PMPI_Reduce(ends, latest, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("ns=%.1f\n", 1e9 * (latest[1] - latest[0]) / (iterations - 1));
    free(mine);
    free(result);
    MPI_Finalize();
    return 0;
}
