/* The last rank dies before a collective. The survivors print the class of the error that they get, agree on a
 * communicator without the dead rank, and go on:
 *
 *     survivors barrier|allreduce|bcast
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* This header needs mpi.h before it. */
#include <mpi-ext.h>

int main(int argc, char **argv) {
    int rank, size, one = 1, sum = 0, error, class = 0;
    MPI_Comm survivors;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 5; i++)
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == size - 1)
        raise(SIGKILL);
    if (strcmp(argv[1], "barrier") == 0)
        error = MPI_Barrier(MPI_COMM_WORLD);
    else if (strcmp(argv[1], "bcast") == 0)
        error = MPI_Bcast(&one, 1, MPI_INT, size - 1, MPI_COMM_WORLD);
    else
        error = MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (error != MPI_SUCCESS)
        MPI_Error_class(error, &class);
    const char *name = class == MPIX_ERR_PROC_FAILED ? "failed" : class == MPIX_ERR_REVOKED ? "revoked" : "other";
    printf("rank %d: %s\n", rank, error == MPI_SUCCESS ? "success" : name);
    fflush(stdout);
    MPIX_Comm_revoke(MPI_COMM_WORLD);
    MPIX_Comm_shrink(MPI_COMM_WORLD, &survivors);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, survivors);
    printf("rank %d: %d survivors\n", rank, sum);
    fflush(stdout);
    _exit(0); /* after a failure, Open MPI 5.0 itself may hang in MPI_Finalize */
}
