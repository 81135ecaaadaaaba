/* The time of an Allreduce, a Barrier or a message to itself:
 *
 *     allreduce self|world|barrier|message INTEGERS CALLS BATCH [INTEGERS CALLS BATCH]...
 *
 * For each INTEGERS, prints a line with figures of rank 0. In nanoseconds: the median over batches of the mean time of
 * a call, and the mean processor time of all calls, which other processes of the machine do not lengthen. In KiB: the
 * private memory after a tenth of the calls and after all.
 *
 * Each call checks one element of the sum, a different one each time. After each batch all elements are checked,
 * outside the timed part. A wrong sum ends the job, with a line that names rank, call and element.
 */
#include <mpi.h>
#include <stdbool.h>
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

/* Element i of rank r is r + added[i]. Each call changes another element of `added`. */
struct sums {
    MPI_Comm comm;
    int rank, ranks, count, calls;
    int *input, *sum, *added;
};

static void expect(const struct sums *s, int element) {
    int expected = s->ranks * s->added[element] + s->ranks * (s->ranks - 1) / 2;
    if (s->sum[element] == expected)
        return;
    fprintf(stderr, "allreduce: rank %d, call %d, element %d: the sum is %d, not %d\n", s->rank, s->calls, element,
            s->sum[element], expected);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void add_up(struct sums *s) {
    int element = s->calls++ % s->count;
    s->added[element] = s->calls & 0xFFFF;
    s->input[element] = s->rank + s->added[element];
    MPI_Allreduce(s->input, s->sum, s->count, MPI_INT, MPI_SUM, s->comm);
    expect(s, element);
}

static void meet(struct sums *s) {
    MPI_Barrier(s->comm);
}

static void send_to_itself(struct sums *s) {
    MPI_Request request;
    MPI_Irecv(s->sum, 1, MPI_INT, s->rank, 0, s->comm, &request);
    MPI_Send(s->input, 1, MPI_INT, s->rank, 0, s->comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void measure(MPI_Comm comm, const char *kind, int count, int calls, int batch) {
    bool sums = strcmp(kind, "self") == 0 || strcmp(kind, "world") == 0;
    void (*call)(struct sums *) = sums ? add_up : strcmp(kind, "message") == 0 ? send_to_itself : meet;
    int batches = calls / batch, rank;
    long early_kib = 0;
    struct sums s = {.comm = comm, .count = count};
    s.input = calloc((size_t)count, sizeof *s.input);
    s.sum = calloc((size_t)count, sizeof *s.sum);
    s.added = calloc((size_t)count, sizeof *s.added);
    double *times = calloc((size_t)batches, sizeof *times);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_rank(comm, &s.rank);
    MPI_Comm_size(comm, &s.ranks);
    for (int i = 0; i < count; i++)
        s.input[i] = s.rank;

    for (int i = 0; i < (batch < 100 ? 3 : 1000); i++) /* makes connections, fills caches */
        call(&s);
    double processor = processor_seconds();
    for (int b = 0; b < batches; b++) {
        double start = MPI_Wtime();
        for (int i = 0; i < batch; i++)
            call(&s);
        times[b] = (MPI_Wtime() - start) / batch;
        for (int i = 0; i < count && sums; i++)
            expect(&s, i);
        if (b == batches / 10)
            early_kib = private_kib();
    }
    processor = processor_seconds() - processor;
    qsort(times, (size_t)batches, sizeof *times, compare);
    if (rank == 0)
        printf("ns=%.1f processor_ns=%.1f early_kib=%ld late_kib=%ld\n", 1e9 * times[batches / 2],
               1e9 * processor / batches / batch, early_kib, private_kib());
    free(s.input);
    free(s.sum);
    free(s.added);
    free(times);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    if (argc < 5 || argc % 3 != 2)
        MPI_Abort(MPI_COMM_WORLD, 2);
    MPI_Comm comm = strcmp(argv[1], "self") == 0 ? MPI_COMM_SELF : MPI_COMM_WORLD;
    for (int i = 2; i < argc; i += 3)
        measure(comm, argv[1], atoi(argv[i]), atoi(argv[i + 1]), atoi(argv[i + 2]));
    MPI_Finalize();
    return 0;
}
