/* Rank 1 is late to a call that all members of a communicator or file make: dup, split, cart, write. The arguments are
 * that call and a file's name. Work is sleep, so that a busy machine changes little. */
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
    MPI_File file = MPI_FILE_NULL;
    if (!strcmp(form, "write"))
        MPI_File_open(MPI_COMM_WORLD, argv[2], MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
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
            MPI_File_write_at_all(file, rank * (MPI_Offset)sizeof rank, &rank, 1, MPI_INT, MPI_STATUS_IGNORE);
        if (comm != MPI_COMM_NULL)
            MPI_Comm_free(&comm);
    }
    if (file != MPI_FILE_NULL)
        MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
