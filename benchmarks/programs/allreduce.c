/* The time of an Allreduce: allreduce self|world INTEGERS CALLS BATCH
 *
 * Prints, in nanoseconds and as rank 0 saw it, the median over batches of the mean time of a call, and the mean
 * processor time of all calls, which other processes of the machine do not lengthen.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    if (argc != 5)
        MPI_Abort(MPI_COMM_WORLD, 2);
    MPI_Comm comm = strcmp(argv[1], "self") == 0 ? MPI_COMM_SELF : MPI_COMM_WORLD;
    int count = atoi(argv[2]), calls = atoi(argv[3]), batch = atoi(argv[4]);
    int batches = calls / batch, rank;
    int *mine = calloc((size_t)count, sizeof *mine), *sum = calloc((size_t)count, sizeof *sum);
    struct timespec began, ended;
    double *times = calloc((size_t)batches, sizeof *times);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    for (int i = 0; i < (batch < 100 ? 3 : 1000); i++) /* connections, communicators, caches */
        MPI_Allreduce(mine, sum, count, MPI_INT, MPI_SUM, comm);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &began);
    for (int b = 0; b < batches; b++) {
        double start = MPI_Wtime();
        for (int i = 0; i < batch; i++)
            MPI_Allreduce(mine, sum, count, MPI_INT, MPI_SUM, comm);
        times[b] = (MPI_Wtime() - start) / batch;
    }
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ended);
    double processor = (double)(ended.tv_sec - began.tv_sec) + 1e-9 * (double)(ended.tv_nsec - began.tv_nsec);
    qsort(times, (size_t)batches, sizeof *times, compare);
    if (rank == 0)
        printf("ns=%.1f processor_ns=%.1f\n", 1e9 * times[batches / 2], 1e9 * processor / batches / batch);
    free(mine);
    free(sum);
    free(times);
    MPI_Finalize();
    return 0;
}
