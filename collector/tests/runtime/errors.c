/* Prints the error codes and errno that the application gets with MPI_ERRORS_RETURN. Argument 1: "abort": ends with
 * MPI_Abort; "exit": ends without MPI_Finalize. Argument 2: the number of calls to record. */
#include <errno.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int class_of(int error) {
    int class;
    MPI_Error_class(error, &class);
    return class;
}

int main(int argc, char **argv) {
    int value = 1, sum, rank, calls = argc > 2 ? atoi(argv[2]) : 20000;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    printf("send to nobody %d\n", class_of(MPI_Send(&value, 1, MPI_INT, 1000, 0, MPI_COMM_WORLD)));
    printf("bad type %d\n", class_of(MPI_Bcast(&value, 1, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD)));
    printf("bad root %d\n", class_of(MPI_Bcast(&value, 1, MPI_INT, 1000, MPI_COMM_WORLD)));
    MPI_Datatype pair;
    int values[2] = {1, 2};
    MPI_Type_contiguous(2, MPI_INT, &pair);
    printf("not committed %d\n", class_of(MPI_Bcast(values, 1, pair, 0, MPI_COMM_WORLD)));
    MPI_Type_free(&pair);
    errno = 77;
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < calls; i++) { /* fills many chunks of the spool */
        MPI_Request null_request = MPI_REQUEST_NULL;
        MPI_Wait(&null_request, MPI_STATUS_IGNORE);
    }
    printf("errno %d\n", errno);
    fflush(stdout);
    if (argc > 1 && strcmp(argv[1], "abort") == 0)
        MPI_Abort(MPI_COMM_WORLD, 9);
    if (argc > 1 && strcmp(argv[1], "exit") == 0)
        exit(3);
    MPI_Finalize();
    return 0;
}
