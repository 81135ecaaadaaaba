/* One collective again and again, with some computing before each: iterations NAME BYTES. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { ITERATIONS = 60, MOST = 1 << 20, WORK = 20000 };

static char from[MOST], to[MOST];

static void run(const char *name, int bytes) {
    int count = bytes / (int)sizeof(double);
    if (!strcmp(name, "allreduce"))
        MPI_Allreduce(from, to, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    else if (!strcmp(name, "reduce"))
        MPI_Reduce(from, to, count, MPI_DOUBLE, MPI_SUM, 1, MPI_COMM_WORLD);
    else if (!strcmp(name, "bcast"))
        MPI_Bcast(to, count, MPI_DOUBLE, 1, MPI_COMM_WORLD);
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
