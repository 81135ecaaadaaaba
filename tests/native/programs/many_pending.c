/* Nonblocking collectives pending on many communicators at once, which run in step. */
#include <mpi.h>

enum { COMMS = 100, EACH = 2 };

int main(int argc, char **argv) {
    MPI_Comm comms[COMMS];
    MPI_Request requests[COMMS * EACH];
    int mine[COMMS * EACH], sums[COMMS * EACH], size;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int c = 0; c < COMMS; c++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[c]);
    for (int i = 0; i < COMMS * EACH; i++) {
        mine[i] = i;
        MPI_Iallreduce(&mine[i], &sums[i], 1, MPI_INT, MPI_SUM, comms[i % COMMS], &requests[i]);
    }
    MPI_Waitall(COMMS * EACH, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < COMMS * EACH; i++)
        if (sums[i] != i * size)
            MPI_Abort(MPI_COMM_WORLD, 3);
    MPI_Finalize();
}
