/* Uses MPI through a session: runs an Allreduce and a Barrier on the processes of mpi://WORLD. With the argument
 * `init`, calls MPI_Init first, and also makes a nonblocking duplicate, and an intercommunicator from groups. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    int rank, sum = 0, init = argc > 1 && strcmp(argv[1], "init") == 0;
    if (init)
        MPI_Init(&argc, &argv);
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "of-the-session", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    MPI_Barrier(comm);
    printf("%d sum %d\n", rank, sum);
    if (init) {
        MPI_Comm copy;
        MPI_Request request;
        MPI_Comm_idup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &copy, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Barrier(copy);
        MPI_Comm_free(&copy);
    }
    MPI_Comm_free(&comm);
    MPI_Group_free(&group);
    MPI_Session_finalize(&session);
    if (init)
        MPI_Finalize();
    return 0;
}
