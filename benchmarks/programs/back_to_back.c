/* Broadcasts back to back, with nothing in between:
 *
 *     back_to_back BYTES CALLS
 *
 * Prints the time, in nanoseconds, that the slowest rank took for all broadcasts. Every byte of the last broadcast is
 * checked.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, bytes = argc > 2 ? atoi(argv[1]) : 1, calls = argc > 2 ? atoi(argv[2]) : 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char *buffer = malloc((size_t)bytes);
    if (!buffer)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    for (int call = 0; call < calls; call++) {
        memset(buffer, rank ? 0 : call, (size_t)bytes);
        MPI_Bcast(buffer, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    }
    double took = MPI_Wtime() - begin, longest = 0;
    for (int i = 0; i < bytes; i++)
        if (buffer[i] != (char)(calls - 1)) {
            fprintf(stderr, "back_to_back: rank %d has a wrong byte at %d\n", rank, i);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    MPI_Reduce(&took, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("ns=%.0f\n", longest * 1e9);
    free(buffer);
    MPI_Finalize();
}
