/* Creates and frees thousands of operations, as ScaLAPACK does, and reduces with each.
 *
 *     many_operations NUMBER
 *
 * Every second operation is declared not to commute. Rank 0 prints the number of wrong results, and the growth of its
 * private memory since the first tenth, in KiB. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add(void *operand, void *inout, int *length, MPI_Datatype *datatype) {
    (void)datatype;
    for (int i = 0; i < *length; i++)
        ((int *)inout)[i] += ((int *)operand)[i];
}

/* Keeps the left operand, which is that of the lowest rank if the order is kept. */
static void left(void *operand, void *inout, int *length, MPI_Datatype *datatype) {
    (void)datatype;
    memcpy(inout, operand, (size_t)*length * sizeof(int));
}

static long own_kib(void) {
    char line[200];
    long kib = -1;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "RssAnon: %ld", &kib) == 1)
            break;
    if (file)
        fclose(file);
    return kib;
}

int main(int argc, char **argv) {
    int number = argc > 1 ? atoi(argv[1]) : 1000, rank, size, wrong = 0;
    long early_kib = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < number; i++) {
        int input[4] = {rank + 1, rank + 1, rank + 1, rank + 1}, output[4] = {0}, at_root[4] = {0},
            commutes = i % 2 == 0;
        MPI_Op op;
        MPI_Op_create(commutes ? add : left, commutes, &op);
        MPI_Allreduce(input, output, 4, MPI_INT, op, MPI_COMM_WORLD);
        MPI_Reduce(input, at_root, 4, MPI_INT, op, i % size, MPI_COMM_WORLD);
        MPI_Op_free(&op);
        int right = commutes ? size * (size + 1) / 2 : 1;
        wrong += output[3] != right || (rank == i % size && at_root[3] != right);
        if (i == number / 10)
            early_kib = own_kib();
    }
    if (rank == 0)
        printf("%d wrong, %ld KiB\n", wrong, own_kib() - early_kib);
    MPI_Finalize();
    return wrong != 0;
}
