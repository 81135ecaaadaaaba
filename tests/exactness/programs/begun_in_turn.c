/* A nonblocking allreduce that one rank begins before a barrier and the others after it. MPI requires one order on all
 * ranks, but its libraries run such programs, and mpi4py's own tests contain one. Each rank is the first in turn. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, size, wrong = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int first = 0; first < 3 * size; first++) {
        int value = 1, sum = 0;
        MPI_Request request;
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == first % size)
            MPI_Iallreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank != first % size)
            MPI_Iallreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        wrong += sum != size;
    }
    if (rank == 0)
        printf("%d wrong\n", wrong);
    MPI_Finalize();
    return wrong != 0;
}
