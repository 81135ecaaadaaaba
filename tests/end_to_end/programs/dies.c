/* Allreduces in a loop. One rank kills itself (SIGKILL) after a number of iterations; 0 0 for none.
 *   dies RANK ITERATIONS TOTAL
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, ranks, victim = atoi(argv[1]), death_round = atoi(argv[2]), total = atoi(argv[3]);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    long wrong = 0;
    for (int i = 0; i < total; i++) {
        int value = rank + i, sum = -1;
        if (death_round > 0 && i == death_round && rank == victim)
            raise(SIGKILL);
        MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        wrong += sum != ranks * (ranks - 1) / 2 + ranks * i;
    }
    if (rank == 0)
        printf("done wrong=%ld\n", wrong);
    MPI_Finalize();
    return wrong != 0;
}
