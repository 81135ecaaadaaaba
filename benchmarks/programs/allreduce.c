/* The time of an Allreduce or Barrier: allreduce self|world|barrier INTEGERS CALLS BATCH
 *
 * Prints, in nanoseconds and as rank 0 saw it, the median over batches of the mean time of a call, and the mean
 * processor time of all calls, which other processes of the machine do not lengthen; and rank 0's private memory in KiB
 * after a tenth of the calls and after all.
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

static double processor_seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static long private_kib(void) {
    char line[256];
    long kib = -1;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        sscanf(line, "RssAnon: %ld", &kib);
    if (file)
        fclose(file);
    return kib;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    if (argc != 5)
        MPI_Abort(MPI_COMM_WORLD, 2);
    MPI_Comm comm = strcmp(argv[1], "self") == 0 ? MPI_COMM_SELF : MPI_COMM_WORLD;
    int barrier = strcmp(argv[1], "barrier") == 0;
    int count = atoi(argv[2]), calls = atoi(argv[3]), batch = atoi(argv[4]);
    int batches = calls / batch, rank;
    long early_kib = 0;
    int *mine = calloc((size_t)count, sizeof *mine), *sum = calloc((size_t)count, sizeof *sum);
    double *times = calloc((size_t)batches, sizeof *times);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    for (int i = 0; i < (batch < 100 ? 3 : 1000); i++) { /* connections, communicators, caches */
        if (barrier)
            MPI_Barrier(comm);
        else
            MPI_Allreduce(mine, sum, count, MPI_INT, MPI_SUM, comm);
    }
    double processor = processor_seconds();
    for (int b = 0; b < batches; b++) {
        double start = MPI_Wtime();
        for (int i = 0; i < batch && barrier; i++)
            MPI_Barrier(comm);
        for (int i = 0; i < batch && !barrier; i++)
            MPI_Allreduce(mine, sum, count, MPI_INT, MPI_SUM, comm);
        times[b] = (MPI_Wtime() - start) / batch;
        if (b == batches / 10)
            early_kib = private_kib();
    }
    processor = processor_seconds() - processor;
    qsort(times, (size_t)batches, sizeof *times, compare);
    if (rank == 0)
        printf("ns=%.1f processor_ns=%.1f early_kib=%ld late_kib=%ld\n", 1e9 * times[batches / 2],
               1e9 * processor / batches / batch, early_kib, private_kib());
    free(mine);
    free(sum);
    free(times);
    MPI_Finalize();
    return 0;
}
