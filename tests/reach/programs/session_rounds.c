/* MPI sessions one after another, each with an Allreduce. If a rank begins a session while another rank ends one, MPICH
 * 5 itself fails, 3 times in 30. So each rank waits until all have ended theirs, using a file that grows. */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Writes one byte for each session that a rank has ended, and waits for the others' bytes. */
static void end_together(int file, int size, int round) {
    if (write(file, "x", 1) != 1)
        abort();
    while (lseek(file, 0, SEEK_END) < size * (round + 1))
        usleep(1000);
}

int main(int argc, char **argv) {
    int file = argc == 2 ? open(argv[1], O_RDWR | O_CREAT | O_APPEND, 0600) : -1;
    if (file < 0)
        return 2;
    for (int round = 0; round < 3; round++) {
        MPI_Session session;
        MPI_Group group;
        MPI_Comm comm;
        int rank, size, sum = 0;
        MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
        MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
        MPI_Comm_create_from_group(group, "a-round", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
        MPI_Comm_rank(comm, &rank);
        MPI_Comm_size(comm, &size);
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
        printf("%d of round %d: sum %d\n", rank, round, sum);
        MPI_Comm_free(&comm);
        MPI_Group_free(&group);
        MPI_Session_finalize(&session);
        end_together(file, size, round);
    }
    return 0;
}
