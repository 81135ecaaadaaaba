/* MPI by sessions that follow one another: in each an Allreduce. Where a rank begins one while the other ends one,
 * MPICH 5 fails by itself, 3 times in 30: so all rest in between. */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(void) {
    for (int round = 0; round < 3; round++) {
        MPI_Session session;
        MPI_Group group;
        MPI_Comm comm;
        int rank, sum = 0;
        MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
        MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
        MPI_Comm_create_from_group(group, "a-round", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
        MPI_Comm_rank(comm, &rank);
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
        printf("%d of round %d: sum %d\n", rank, round, sum);
        MPI_Comm_free(&comm);
        MPI_Group_free(&group);
        MPI_Session_finalize(&session);
        usleep(300000);
    }
    return 0;
}
