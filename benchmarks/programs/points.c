/* Barrier, Bcast, Reduce and Alltoall over numbers of ranks and sizes, for what the published models say of them:
 *
 *     points ITERATIONS RANKS[,RANKS]... BYTES[,BYTES]...
 *
 * For each number, the first so many ranks call each operation ITERATIONS times at each size (of Alltoall, of a block),
 * rooted in rank 0. Before each call they meet in a barrier that the collector does not see, so that they enter
 * together.
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
    for (const char *at = text; count < MOST_NUMBERS; at++) {
        numbers[count++] = atoi(at);
        at = strchr(at, ',');
        if (at == NULL)
            break;
    }
    return count;
}

static void call(int operation, MPI_Comm comm, int bytes, char *from, char *into) {
    switch (operation) {
    case 0:
        MPI_Barrier(comm);
        break;
    case 1:
        MPI_Bcast(from, bytes, MPI_CHAR, 0, comm);
        break;
    case 2:
        MPI_Reduce(from, into, bytes / (int)sizeof(double), MPI_DOUBLE, MPI_SUM, 0, comm);
        break;
    default:
        MPI_Alltoall(from, bytes, MPI_CHAR, into, bytes, MPI_CHAR, comm);
    }
}

static void measure(MPI_Comm comm, int iterations, const int *bytes, int sizes, char *from, char *into) {
    for (int operation = 0; operation < 4; operation++)
        for (int size = 0; size < (operation == 0 ? 1 : sizes); size++)
            for (int i = 0; i < iterations; i++) {
                PMPI_Barrier(comm);
                call(operation, comm, bytes[size], from, into);
            }
}

int main(int argc, char **argv) {
    int rank, ranks, counts[MOST_NUMBERS], bytes[MOST_NUMBERS], most = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc != 4)
        MPI_Abort(MPI_COMM_WORLD, 2);
    const int number = numbers_of(argv[2], counts), sizes = numbers_of(argv[3], bytes);
    for (int i = 0; i < sizes; i++)
        most = bytes[i] > most ? bytes[i] : most;
    char *from = calloc((size_t)ranks, (size_t)most), *into = calloc((size_t)ranks, (size_t)most);
    for (int i = 0; i < number; i++) {
        MPI_Comm some;
        MPI_Comm_split(MPI_COMM_WORLD, rank < counts[i] ? 0 : MPI_UNDEFINED, rank, &some);
        if (some != MPI_COMM_NULL) {
            measure(some, atoi(argv[1]), bytes, sizes, from, into);
            MPI_Comm_free(&some);
        }
        PMPI_Barrier(MPI_COMM_WORLD);
    }
    free(from);
    free(into);
    MPI_Finalize();
    return 0;
}
