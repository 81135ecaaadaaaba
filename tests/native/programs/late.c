/* One rank comes 20 ms late to each of 20 collectives: to MPI_Allreduce, and to the wait for an allreduce that returned
 * before it was done. With the argument `between`: on an intercommunicator. With `persistent`, the latter is
 * persistent; else it is nonblocking. */
#include <mpi.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 10, LATE_RANK = 2 };

static int value = 1, sum;

static void sleep_if_late(int rank) {
    struct timespec time = {.tv_nsec = 20000000};
    if (rank == LATE_RANK)
        nanosleep(&time, NULL);
}

static MPI_Comm between_groups(int rank) {
    MPI_Comm group, intercomm;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &group);
    MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, 1 - rank % 2, 7, &intercomm);
    return intercomm;
}

static MPI_Request made_persistent(MPI_Comm comm) {
    MPI_Request request = MPI_REQUEST_NULL;
#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5
    MPI_Allreduce_init(&value, &sum, 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &request);
#else
    MPI_Abort(comm, 4);
#endif
    return request;
}

int main(int argc, char **argv) {
    int rank;
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int persistent = argc > 1 && strcmp(argv[1], "persistent") == 0;
    if (argc > 1 && strcmp(argv[1], "between") == 0)
        comm = between_groups(rank);
    if (persistent)
        request = made_persistent(comm);
    for (int i = 0; i < ROUNDS; i++) {
        sleep_if_late(rank);
        MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, comm);
        if (persistent)
            MPI_Start(&request);
        else
            MPI_Iallreduce(&value, &sum, 1, MPI_INT, MPI_SUM, comm, &request);
        sleep_if_late(rank);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    if (persistent)
        MPI_Request_free(&request);
    MPI_Finalize();
}
