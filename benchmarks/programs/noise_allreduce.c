/* The published microbenchmark noise-allreduce: each rank sorts integers, then all add up one double.
 *
 *     noise_allreduce ITERATIONS SORT_US [VALUES]
 *
 * Sorting takes about SORT_US microseconds of processor time: rank 0 tunes the number of integers before the first
 * iteration, and all ranks sort that many. Ranks that share a core need more time, but the same processor time.
 * The integers are those of a linear congruential generator whose seed is the rank, and the same in every iteration.
 *
 * VALUES names the file of a rank's values, with %d for the rank. It is text: one decimal number in each line, as
 * strtod reads it. Line i is the value of iteration i; after the last line comes the first one again. `sor --changes`
 * writes such files. Without VALUES the value of rank r in iteration i is r + i, both from 0, and each sum is checked.
 *
 * Rank 0 prints the mean time of an iteration in ns, the number of integers, and the total of all sums. On 2 ranks
 * without VALUES the total is ITERATIONS squared.
 */
#include "rank_file.h"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_INTEGERS = 1 << 24, TUNING_RUNS = 5 };

static int rank, ranks;

/* Integers to sort, and the array that they are sorted in. */
struct work {
    int count;
    int *unsorted, *sorted;
};

/* The numbers of a file, or none. */
struct values {
    int count;
    double *numbers;
};

static void fail(const char *reason, const char *detail) {
    fprintf(stderr, "noise_allreduce: rank %d: %s%s\n", rank, reason, detail);
    MPI_Abort(MPI_COMM_WORLD, 2);
}

static void *memory(size_t count, size_t size) {
    void *block = calloc(count ? count : 1, size);
    if (block == NULL)
        fail("no memory", "");
    return block;
}

static int compare(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static void sort_integers(struct work *work) {
    memcpy(work->sorted, work->unsorted, (size_t)work->count * sizeof(int));
    qsort(work->sorted, (size_t)work->count, sizeof(int), compare);
}

static struct work make_work(int count) {
    struct work work = {count, memory((size_t)count, sizeof(int)), memory((size_t)count, sizeof(int))};
    unsigned state = (unsigned)rank;
    for (int i = 0; i < count; i++) {
        state = state * 1664525u + 1013904223u;
        work.unsorted[i] = (int)(state >> 1);
    }
    return work;
}

static void release(struct work *work) {
    free(work->unsorted);
    free(work->sorted);
}

static double processor_us(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return 1e6 * (double)time.tv_sec + 1e-3 * (double)time.tv_nsec;
}

/* The least processor time of a few sorts of this many integers. */
static double sorting_us(int count) {
    struct work work = make_work(count);
    double minimum = 0;
    for (int run = 0; run < TUNING_RUNS; run++) {
        double begin = processor_us();
        sort_integers(&work);
        double time = processor_us() - begin;
        minimum = run == 0 || time < minimum ? time : minimum;
    }
    release(&work);
    return minimum;
}

/* Number of integers that take sort_us to sort. Between two powers of two, time is nearly proportional to number. */
static int tuned_count(double sort_us) {
    int count = 64;
    double time = 0;
    if (sort_us <= 0)
        return 0;
    while ((time = sorting_us(count)) < sort_us && count < MOST_INTEGERS)
        count *= 2;
    return (int)(count * sort_us / time);
}

static struct values read_values(const char *pattern) {
    struct values values = {0, NULL};
    char path[PATH_BYTES], line[256];
    if (pattern == NULL)
        return values;
    if (!rank_file(pattern, rank, path))
        fail("the path is too long: ", pattern);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        fail("cannot read ", path);
    int room = 0;
    while (fgets(line, sizeof line, file)) {
        char *end;
        double number = strtod(line, &end);
        if (end == line || (*end != '\n' && *end != '\0'))
            fail("not one number in each line: ", path);
        if (values.count == room) {
            room = room ? 2 * room : 1024;
            values.numbers = realloc(values.numbers, (size_t)room * sizeof(double));
            if (values.numbers == NULL)
                fail("no memory for ", path);
        }
        values.numbers[values.count++] = number;
    }
    fclose(file);
    if (values.count == 0)
        fail("no numbers in ", path);
    return values;
}

static double value_of(const struct values *values, int iteration) {
    return values->count ? values->numbers[iteration % values->count] : (double)rank + iteration;
}

/* Checks a sum, if the values of all ranks are known. */
static void check(const struct values *values, int iteration, double sum) {
    double expected = (double)ranks * iteration + 0.5 * ranks * (ranks - 1);
    if (values->count == 0 && sum != expected)
        fail("an Allreduce gave a wrong sum", "");
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc < 3 || argc > 4 || atoi(argv[1]) < 1)
        fail("usage: ", "noise_allreduce ITERATIONS SORT_US [VALUES]");
    int iterations = atoi(argv[1]), count = rank == 0 ? tuned_count(atof(argv[2])) : 0;
    struct values values = read_values(argc > 3 ? argv[3] : NULL);
    MPI_Bcast(&count, 1, MPI_INT, 0, MPI_COMM_WORLD);
    struct work work = make_work(count);

    double total = 0, begin = MPI_Wtime();
    for (int iteration = 0; iteration < iterations; iteration++) {
        double value = value_of(&values, iteration), sum = 0;
        sort_integers(&work);
        MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        check(&values, iteration, sum);
        total += sum;
    }
    double seconds = MPI_Wtime() - begin;

    if (rank == 0)
        printf("ns=%.1f iterations=%d integers=%d total=%.17g\n", 1e9 * seconds / iterations, iterations, count, total);
    release(&work);
    free(values.numbers);
    MPI_Finalize();
    return 0;
}
