/* Nonblocking collectives, pending on many communicators at once. The communicators have equal sequence numbers. */
#include <mpi.h>

enum { COMMS = 100, CALLS = 2 };

int main(int argc, char **argv) {
    MPI_Comm comms[COMMS];
    MPI_Request requests[COMMS * CALLS];
    int values[COMMS * CALLS], sums[COMMS * CALLS], size;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int c = 0; c < COMMS; c++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[c]);
    for (int i = 0; i < COMMS * CALLS; i++) {
        values[i] = i;
        MPI_Iallreduce(&values[i], &sums[i], 1, MPI_INT, MPI_SUM, comms[i % COMMS], &requests[i]);
    }
    MPI_Waitall(COMMS * CALLS, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < COMMS * CALLS; i++)
        if (sums[i] != i * size)
            MPI_Abort(MPI_COMM_WORLD, 3);
    MPI_Finalize();
}
