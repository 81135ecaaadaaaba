/* Rank 1 is late to a call that all members of a communicator make. The argument is that call: dup, split, cart,
 * window. Work is sleep, so that a busy machine changes little. */
#include <mpi.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 20, LATE_US = 30000, ON_TIME_US = 6000 };

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    const char *form = argv[1];
    int rank, ranks, periodic = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Win window = MPI_WIN_NULL;
    int *cell;
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Comm comm = MPI_COMM_NULL;
        usleep(rank == 1 ? LATE_US : ON_TIME_US);
        if (!strcmp(form, "dup"))
            MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        else if (!strcmp(form, "split"))
            MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &comm);
        else if (!strcmp(form, "cart"))
            MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &periodic, 0, &comm);
        else
            MPI_Win_allocate(sizeof rank, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &cell, &window);
        if (comm != MPI_COMM_NULL)
            MPI_Comm_free(&comm);
        if (window != MPI_WIN_NULL)
            MPI_Win_free(&window);
    }
    MPI_Finalize();
    return 0;
}
