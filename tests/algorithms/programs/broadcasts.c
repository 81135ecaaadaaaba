/* Repeats two broadcasts from rank 0 ten times: one of 64 bytes and one of 5,000 bytes. */
#include <mpi.h>

int main(int argc, char **argv) {
    static char bytes[5000];
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 10; i++) {
        MPI_Bcast(bytes, 64, MPI_CHAR, 0, MPI_COMM_WORLD);
        MPI_Bcast(bytes, sizeof bytes, MPI_CHAR, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
