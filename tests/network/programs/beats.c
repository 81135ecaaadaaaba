/* Repeats a barrier with pauses of some milliseconds, for some seconds: beats SECONDS MILLISECONDS */
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    double end = MPI_Wtime() + atof(argv[1]);
    for (int go = 1; go;) {
        MPI_Barrier(MPI_COMM_WORLD);
        usleep((useconds_t)(atof(argv[2]) * 1000));
        go = MPI_Wtime() < end;
        MPI_Bcast(&go, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
