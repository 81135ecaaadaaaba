/* Round trips between pairs of ranks, one after another and several at once: round_trips CALLS
 *
 * Rank r of the first half exchanges messages with rank r of the second half. For 1, 2, 4 ... pairs at once and each
 * size, prints a line with the mean over these pairs of the median time of a round trip in nanoseconds.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const int sizes[] = {4, 4096};
enum { SIZES = sizeof sizes / sizeof *sizes, MAX_STEPS = 16, WARM_UPS = 3 };

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* A barrier in which ranks that wait leave their processor to those that exchange messages. */
static void meet(void) {
    const struct timespec nap = {.tv_nsec = 1000000};
    MPI_Request request;
    int done = 0;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    for (MPI_Test(&request, &done, MPI_STATUS_IGNORE); !done; MPI_Test(&request, &done, MPI_STATUS_IGNORE))
        nanosleep(&nap, NULL);
}

/* The median time of a round trip. The rank that answers measures the same, half a round trip later. */
static double round_trip(int first, int peer, int size, int calls, double *times) {
    char message[4096] = {0};
    for (int i = -WARM_UPS; i < calls; i++) {
        double start = MPI_Wtime();
        if (first)
            MPI_Send(message, size, MPI_CHAR, peer, 0, MPI_COMM_WORLD);
        MPI_Recv(message, size, MPI_CHAR, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (!first)
            MPI_Send(message, size, MPI_CHAR, peer, 0, MPI_COMM_WORLD);
        if (i >= 0)
            times[i] = MPI_Wtime() - start;
    }
    qsort(times, (size_t)calls, sizeof *times, compare);
    return times[calls / 2];
}

int main(int argc, char **argv) {
    double own_times[MAX_STEPS][SIZES] = {0}, sums[MAX_STEPS][SIZES];
    int rank, ranks, steps = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int calls = argc == 2 ? atoi(argv[1]) : 0, half = ranks / 2, pair = rank % half;
    if (calls < 1 || ranks % 2 != 0)
        MPI_Abort(MPI_COMM_WORLD, 2);
    double *times = calloc((size_t)calls, sizeof *times);
    for (int pairs = 1; pairs <= half && steps < MAX_STEPS; pairs *= 2, steps++)
        for (int s = 0; s < SIZES; s++) {
            meet();
            if (pair < pairs)
                own_times[steps][s] = round_trip(rank < half, (rank + half) % ranks, sizes[s], calls, times);
        }
    meet();
    if (rank >= half) /* Only the first half's times count. */
        for (int i = 0; i < steps * SIZES; i++)
            own_times[i / SIZES][i % SIZES] = 0;
    MPI_Reduce(own_times, sums, MAX_STEPS * SIZES, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    for (int i = 0; i < steps * SIZES && rank == 0; i++)
        printf("pairs=%d bytes=%d ns=%.1f\n", 1 << (i / SIZES), sizes[i % SIZES],
               1e9 * sums[i / SIZES][i % SIZES] / (1 << (i / SIZES)));
    free(times);
    MPI_Finalize();
    return 0;
}
