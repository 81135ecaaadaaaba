/* Makes and frees many communicators, with a collective on each. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int rank, sum, rounds = argc > 1 ? atoi(argv[1]) : 1000;
    long total = 0;
    MPI_Comm new_comm;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < rounds; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &new_comm);
        MPI_Allreduce(&i, &sum, 1, MPI_INT, MPI_SUM, new_comm);
        total += sum;
        MPI_Comm_free(&new_comm);
        MPI_Comm_split(MPI_COMM_WORLD, rank / 2, -rank, &new_comm);
        MPI_Allreduce(&i, &sum, 1, MPI_INT, MPI_SUM, new_comm);
        total += sum;
        MPI_Comm_free(&new_comm);
        MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? 0 : MPI_UNDEFINED, 0, &new_comm);
        if (new_comm != MPI_COMM_NULL)
            MPI_Comm_free(&new_comm);
    }
    printf("%d %ld\n", rank, total);
    MPI_Finalize();
    return 0;
}
