/* Collective calls that the MPI library refuses: calls of all ranks on MPI_COMM_NULL, and rank 0's calls with a wrong
 * root, count and operation, which the others do not make. Then three sums, whose results are printed. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, refused = 0, value = 1, sum = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    refused += MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_NULL) != MPI_SUCCESS;
    refused += MPI_Ibarrier(MPI_COMM_NULL, &request) != MPI_SUCCESS;
    if (rank == 0) {
        refused += MPI_Bcast(&value, 1, MPI_INT, 99, MPI_COMM_WORLD) != MPI_SUCCESS;
        refused += MPI_Bcast(&value, -1, MPI_INT, 0, MPI_COMM_WORLD) != MPI_SUCCESS;
        refused += MPI_Ireduce(&value, &sum, 1, MPI_INT, MPI_OP_NULL, 0, MPI_COMM_WORLD, &request) != MPI_SUCCESS;
    }
    for (int i = 0; i < 3; i++, value = sum)
        MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    printf("rank %d: %d refused, sum %d\n", rank, refused, sum);
    MPI_Finalize();
    return 0;
}
