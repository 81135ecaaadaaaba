/* Sums on two communicators of equal size. The even ranks sum twice as often as the odd ones. On each communicator, the
 * ranks alternate between the first half of the job and the second. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int rank, turns = argc > 1 ? atoi(argv[1]) : 10, sum = 0, total = 0;
    MPI_Comm half;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 100 * (rank / 2 % 2) + rank, &half);
    MPI_Comm_set_name(half, rank % 2 ? "odds" : "evens");
    for (int i = 0; i < (rank % 2 ? turns : 2 * turns); i++) {
        int value = rank + i;
        MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, half);
        total += sum;
    }
    printf("%d %d\n", rank, total);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
