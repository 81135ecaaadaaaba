/* A C or C++ program that marks its phases; it runs without the collector too. */
#include <hopscope/region.h>
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 5; i++) {
        hopscope_region_begin("solve");
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        hopscope_region_begin("output");
        hopscope_region_end("output");
        hopscope_region_end("solve");
    }
    printf("sum %d\n", sum);
    MPI_Finalize();
    return 0;
}
