/* Communicators are made and freed, so that new ones get the handles of freed ones. Every other communicator has one
 * nonblocking collective. From the rest more communicators are made, whose messages have the same tags. */
#include <mpi.h>

int main(int argc, char **argv) {
    int value = 1, sum;
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 20; i++) {
        MPI_Comm comm, duplicate;
        MPI_Request request;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        if (i % 2 == 0) {
            MPI_Iallreduce(&value, &sum, 1, MPI_INT, MPI_SUM, comm, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        } else {
            MPI_Comm_dup(comm, &duplicate);
            MPI_Comm_free(&duplicate);
        }
        MPI_Comm_free(&comm);
    }
    MPI_Finalize();
}
