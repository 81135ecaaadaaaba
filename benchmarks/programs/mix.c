/* Measures an iteration of several collectives:
 *
 *     mix ITERATIONS WORK_US OPERATION BYTES [OPERATION BYTES]...
 *
 * Each rank sleeps for a time of its own, up to WORK_US, then calls each operation. BYTES are those of the message or
 * of a block; blocks of allgatherv, alltoallv and reduce_scatter have 0.5, 1 and 1.5 times this length in turn. Prints
 * the mean time from the last leave of one iteration to that of the next, in ns. The first iteration does not count,
 * because it sets the communicator up. All ranks share one machine's clock. A wrong result ends the job.
 */
#define _GNU_SOURCE
#include "nap.h"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks;

/* Open MPI's MPI_Wtime counts from each rank's own start. */
static double clock_seconds(void) {
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

/* The arguments of one call. The last element of a message or block is checked. */
struct call {
    const char *operation;
    int count, iteration;
    int *input, *result;
};

/* The numbers of elements and the places of the blocks for each rank, or from each rank. */
struct blocks {
    int *counts, *places;
};

static struct blocks blocks_of(const struct call *c, int uneven, int number) {
    struct blocks b = {malloc(2 * (size_t)ranks * sizeof(int)), NULL};
    b.places = b.counts + ranks;
    for (int i = 0, next = 0; i < ranks; next += b.counts[i++]) {
        b.counts[i] = uneven ? c->count / 2 + (i + number) % 3 * c->count / 2 : c->count;
        b.places[i] = next;
    }
    return b;
}

/* The last value of a rank's block for another rank. */
static int value(const struct call *c, int sender, int receiver) {
    return sender * ranks + receiver + c->iteration;
}

static int *last_of(int *buffer, const struct blocks *b, int i) {
    return &buffer[b->places[i] + b->counts[i] - 1];
}

/* Writes the last value of each block that this rank sends: a block for each rank or (single_block) only one. */
static void give(const struct call *c, const struct blocks *b, int single_block) {
    if (single_block)
        c->input[b->counts[rank] - 1] = value(c, rank, 0);
    for (int i = 0; i < ranks && !single_block; i++)
        *last_of(c->input, b, i) = value(c, rank, i);
}

static void expect_blocks(const struct call *c, const struct blocks *b, int receiver) {
    for (int i = 0; i < ranks; i++)
        expect(*last_of(c->result, b, i) == value(c, i, receiver), c->operation);
}

static int has_operation(const struct call *c, const char *operation) {
    return strcmp(c->operation, operation) == 0;
}

static int move(const struct call *c) {
    MPI_Comm world = MPI_COMM_WORLD;
    int count = c->count, *input = c->input, *result = c->result;
    int uneven = has_operation(c, "allgatherv") || has_operation(c, "alltoallv"),
        of_pairs = has_operation(c, "alltoall") || has_operation(c, "alltoallv");
    struct blocks b = blocks_of(c, uneven, of_pairs ? rank : 0);
    give(c, &b, !of_pairs && !has_operation(c, "scatter"));
    int done = 1;
    if (has_operation(c, "gather")) {
        MPI_Gather(input, count, MPI_INT, result, count, MPI_INT, 0, world);
        if (rank == 0)
            expect_blocks(c, &b, 0);
    } else if (has_operation(c, "scatter")) {
        MPI_Scatter(input, count, MPI_INT, result, count, MPI_INT, 0, world);
        expect(result[count - 1] == value(c, 0, rank), c->operation);
    } else if (has_operation(c, "allgather")) {
        MPI_Allgather(input, count, MPI_INT, result, count, MPI_INT, world);
        expect_blocks(c, &b, 0);
    } else if (has_operation(c, "allgatherv")) {
        MPI_Allgatherv(input, b.counts[rank], MPI_INT, result, b.counts, b.places, MPI_INT, world);
        expect_blocks(c, &b, 0);
    } else if (has_operation(c, "alltoall")) {
        MPI_Alltoall(input, count, MPI_INT, result, count, MPI_INT, world);
        expect_blocks(c, &b, rank);
    } else if (has_operation(c, "alltoallv")) {
        MPI_Alltoallv(input, b.counts, b.places, MPI_INT, result, b.counts, b.places, MPI_INT, world);
        expect_blocks(c, &b, rank);
    } else {
        done = 0;
    }
    free(b.counts);
    return done;
}

static int reduce(const struct call *c) {
    MPI_Comm world = MPI_COMM_WORLD;
    const int count = c->count, last = count - 1, sum = ranks * (ranks - 1) / 2 + ranks * c->iteration;
    int *input = c->input, *result = c->result;
    input[last] = rank + c->iteration;
    result[last] = -1;
    if (has_operation(c, "allreduce")) {
        MPI_Allreduce(input, result, count, MPI_INT, MPI_SUM, world);
        expect(result[last] == sum, c->operation);
    } else if (has_operation(c, "reduce")) {
        MPI_Reduce(input, result, count, MPI_INT, MPI_SUM, 0, world);
        expect(rank != 0 || result[last] == sum, c->operation);
    } else if (has_operation(c, "scan")) {
        MPI_Scan(input, result, count, MPI_INT, MPI_SUM, world);
        expect(result[last] == rank * (rank + 1) / 2 + (rank + 1) * c->iteration, c->operation);
    } else if (has_operation(c, "exscan")) {
        MPI_Exscan(input, result, count, MPI_INT, MPI_SUM, world);
        expect(rank == 0 || result[last] == rank * (rank - 1) / 2 + rank * c->iteration, c->operation);
    } else {
        return 0;
    }
    return 1;
}

static int reduce_scatter(const struct call *c) {
    int uneven = has_operation(c, "reduce_scatter");
    if (!uneven && !has_operation(c, "reduce_scatter_block"))
        return 0;
    struct blocks b = blocks_of(c, uneven, 0);
    give(c, &b, 0);
    if (uneven)
        MPI_Reduce_scatter(c->input, c->result, b.counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    else
        MPI_Reduce_scatter_block(c->input, c->result, c->count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    int sum = ranks * (ranks - 1) / 2 * ranks + ranks * (rank + c->iteration);
    expect(c->result[b.counts[rank] - 1] == sum, c->operation);
    free(b.counts);
    return 1;
}

static void call(const struct call *c) {
    if (has_operation(c, "bcast")) {
        c->input[c->count - 1] = rank + c->iteration;
        MPI_Bcast(c->input, c->count, MPI_INT, 0, MPI_COMM_WORLD);
        expect(c->input[c->count - 1] == c->iteration, c->operation);
    } else if (has_operation(c, "barrier")) {
        MPI_Barrier(MPI_COMM_WORLD);
    } else if (!reduce(c) && !reduce_scatter(c) && !move(c)) {
        expect(0, c->operation);
    }
}

int main(int argc, char **argv) {
    int longest = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc < 5 || argc % 2 == 0)
        MPI_Abort(MPI_COMM_WORLD, 2);
    const int iterations = atoi(argv[1]), work_us = atoi(argv[2]);
    for (int i = 4; i < argc; i += 2)
        longest = atoi(argv[i]) > longest ? atoi(argv[i]) : longest;
    size_t room = 2 * (size_t)longest * (size_t)ranks;
    int *input = calloc(room, 1), *result = calloc(room, 1);
    double first = 0, last = 0;
    srand(1 + (unsigned)rank);
    for (int iteration = 0; iteration < iterations; iteration++) {
        nanosleep(&(struct timespec){.tv_nsec = 1000L * (work_us > 0 ? rand() % work_us : 0)}, NULL);
        for (int i = 3; i < argc; i += 2)
            call(&(struct call){argv[i], atoi(argv[i + 1]) / (int)sizeof *input, iteration, input, result});
        last = clock_seconds();
        if (iteration == 0)
            first = last;
    }
    /* PMPI, so that the collector does not record it, because it is not part of the measured program. */
    double ends[2] = {first, last}, latest[2];
    PMPI_Reduce(ends, latest, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("ns=%.1f\n", 1e9 * (latest[1] - latest[0]) / (iterations - 1));
    free(input);
    free(result);
    MPI_Finalize();
    return 0;
}
