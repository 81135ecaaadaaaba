/* Barrier, Bcast, Reduce and Alltoall over numbers of ranks and sizes, to compare them with the published models:
 *
 *     points ITERATIONS RANKS[,RANKS]... BYTES[,BYTES]...
 *
 * For each number in RANKS, that many ranks, from rank 0 on, call each operation ITERATIONS times at each size (for
 * Alltoall, of a block), with rank 0 as the root. Before each call, they synchronise in a barrier that the collector
 * does not see, so that they enter together.
 */
#define _GNU_SOURCE
#include "nap.h"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NUMBERS = 64 };

static int numbers_of(const char *text, int *numbers) {
    int count = 0;
    for (const char *cursor = text; count < MOST_NUMBERS; cursor++) {
        numbers[count++] = atoi(cursor);
        cursor = strchr(cursor, ',');
        if (cursor == NULL)
            break;
    }
    return count;
}

static void call(int operation, MPI_Comm comm, int bytes, char *input, char *output) {
    switch (operation) {
    case 0:
        MPI_Barrier(comm);
        break;
    case 1:
        MPI_Bcast(input, bytes, MPI_CHAR, 0, comm);
        break;
    case 2:
        MPI_Reduce(input, output, bytes / (int)sizeof(double), MPI_DOUBLE, MPI_SUM, 0, comm);
        break;
    default:
        MPI_Alltoall(input, bytes, MPI_CHAR, output, bytes, MPI_CHAR, comm);
    }
}

static void measure(MPI_Comm comm, int iterations, const int *bytes, int sizes, char *input, char *output) {
    for (int operation = 0; operation < 4; operation++)
        for (int size = 0; size < (operation == 0 ? 1 : sizes); size++)
            for (int i = 0; i < iterations; i++) {
                PMPI_Barrier(comm);
                call(operation, comm, bytes[size], input, output);
            }
}

int main(int argc, char **argv) {
    int rank, ranks, counts[MOST_NUMBERS], bytes[MOST_NUMBERS], most_bytes = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc != 4)
        MPI_Abort(MPI_COMM_WORLD, 2);
    const int number = numbers_of(argv[2], counts), sizes = numbers_of(argv[3], bytes);
    for (int i = 0; i < sizes; i++)
        most_bytes = bytes[i] > most_bytes ? bytes[i] : most_bytes;
    char *input = calloc((size_t)ranks, (size_t)most_bytes), *output = calloc((size_t)ranks, (size_t)most_bytes);
    for (int i = 0; i < number; i++) {
        MPI_Comm comm;
        MPI_Comm_split(MPI_COMM_WORLD, rank < counts[i] ? 0 : MPI_UNDEFINED, rank, &comm);
        if (comm != MPI_COMM_NULL) {
            measure(comm, atoi(argv[1]), bytes, sizes, input, output);
            MPI_Comm_free(&comm);
        }
        PMPI_Barrier(MPI_COMM_WORLD);
    }
    free(input);
    free(output);
    MPI_Finalize();
    return 0;
}
