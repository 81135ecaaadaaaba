/* One rank comes 20 ms late to each of 10 broadcasts. By then every other rank has sent it three messages of the
 * application, too, and before what the broadcast sends. It receives them afterwards. */
#include <mpi.h>
#include <time.h>

enum { ROUNDS = 10, LATE = 3, MESSAGES = 3 };

static void sleep_ms(long ms) {
    struct timespec time = {.tv_nsec = ms * 1000000};
    nanosleep(&time, NULL);
}

int main(int argc, char **argv) {
    int rank, size, value = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < ROUNDS; i++) {
        for (int m = 0; m < MESSAGES && rank != LATE; m++)
            MPI_Send(&value, 1, MPI_INT, LATE, m, MPI_COMM_WORLD);
        sleep_ms(rank == LATE ? 20 : 2);
        MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
        for (int from = 0; from < size && rank == LATE; from++)
            for (int m = 0; m < MESSAGES && from != LATE; m++)
                MPI_Recv(&value, 1, MPI_INT, from, m, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
