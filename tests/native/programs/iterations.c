/* Repeats one collective, with some computing before each: iterations NAME BYTES. BYTES are those of a block for
 * operations that have a block for each rank. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { ITERATIONS = 60, VALUES = 1 << 20, WORK = 20000 };

static char input[VALUES], output[VALUES];

static void run(const char *name, int bytes) {
    int count = bytes / (int)sizeof(double);
    if (!strcmp(name, "allreduce"))
        MPI_Allreduce(input, output, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    else if (!strcmp(name, "reduce"))
        MPI_Reduce(input, output, count, MPI_DOUBLE, MPI_SUM, 1, MPI_COMM_WORLD);
    else if (!strcmp(name, "bcast"))
        MPI_Bcast(output, count, MPI_DOUBLE, 1, MPI_COMM_WORLD);
    else if (!strcmp(name, "gather"))
        MPI_Gather(input, count, MPI_DOUBLE, output, count, MPI_DOUBLE, 1, MPI_COMM_WORLD);
    else if (!strcmp(name, "scatter"))
        MPI_Scatter(input, count, MPI_DOUBLE, output, count, MPI_DOUBLE, 1, MPI_COMM_WORLD);
    else if (!strcmp(name, "allgather"))
        MPI_Allgather(input, count, MPI_DOUBLE, output, count, MPI_DOUBLE, MPI_COMM_WORLD);
    else if (!strcmp(name, "alltoall"))
        MPI_Alltoall(input, count, MPI_DOUBLE, output, count, MPI_DOUBLE, MPI_COMM_WORLD);
    else if (!strcmp(name, "reduce_scatter_block"))
        MPI_Reduce_scatter_block(input, output, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    else if (!strcmp(name, "scan"))
        MPI_Scan(input, output, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    else
        MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    for (int i = 0; i < ITERATIONS; i++) {
        for (volatile int work = 0; work < WORK; work++) {
        }
        run(argv[1], atoi(argv[2]));
    }
    MPI_Finalize();
}
