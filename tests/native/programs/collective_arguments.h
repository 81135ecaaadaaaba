/* Shared by programs of collectives: a check of results, and argument lists for calls that take lists. */
#ifndef COLLECTIVE_ARGUMENTS_H
#define COLLECTIVE_ARGUMENTS_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static inline void expect(double result, double right, const char *function) {
    int rank;
    if (result == right)
        return;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    fprintf(stderr, "rank %d: %s gave %g instead of %g\n", rank, function, result, right);
    MPI_Abort(MPI_COMM_WORLD, 3);
}

struct lists {
    int *counts, *starts, *bytes;
    MPI_Datatype *types;
};

/* n doubles for each of `size` ranks, one after the other. */
static inline struct lists make_lists(int size, int n) {
    struct lists l = {malloc(sizeof(int) * (size_t)size), malloc(sizeof(int) * (size_t)size),
                      malloc(sizeof(int) * (size_t)size), malloc(sizeof(MPI_Datatype) * (size_t)size)};
    for (int i = 0; i < size; i++) {
        l.counts[i] = n;
        l.starts[i] = n * i;
        l.bytes[i] = n * i * (int)sizeof(double);
        l.types[i] = MPI_DOUBLE;
    }
    return l;
}

static inline void free_lists(struct lists l) {
    free(l.counts);
    free(l.starts);
    free(l.bytes);
    free(l.types);
}

#endif
