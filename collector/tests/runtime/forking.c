/* Forks without exec. The child calls MPI functions that do nothing. Its calls must not appear in the parent's spool.
 */
#include <mpi.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Barrier(MPI_COMM_SELF);
    pid_t child = fork();
    if (child == 0) {
        for (int i = 0; i < 100; i++) {
            MPI_Request null_request = MPI_REQUEST_NULL;
            MPI_Wait(&null_request, MPI_STATUS_IGNORE);
        }
        _exit(7);
    }
    int status = 0;
    waitpid(child, &status, 0);
    MPI_Barrier(MPI_COMM_SELF);
    printf("child %d\n", WEXITSTATUS(status));
    MPI_Finalize();
    return 0;
}
