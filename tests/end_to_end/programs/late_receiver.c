/* One rank comes late to every collective, or to every message: a planted truth for the blame of late receivers.
 *
 *   late_receiver WHAT BYTES ITERATIONS LATE_RANK LATE_MS
 *
 * WHAT: bcast, scatter, gather, alltoall; or a message from rank 0 to the late rank and a barrier: send (MPI_Send and
 * MPI_Recv), isend (MPI_Isend, MPI_Irecv and MPI_Wait). BYTES: of one message. All ranks sleep 5 ms before each
 * collective or message, the late rank LATE_MS more; sleeping ranks need no processor.
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc != 6) {
        fprintf(stderr, "usage: late_receiver WHAT BYTES ITERATIONS LATE_RANK LATE_MS\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    const char *kind = argv[1];
    bool messages = strcmp(kind, "send") == 0 || strcmp(kind, "isend") == 0;
    int bytes = atoi(argv[2]), iterations = atoi(argv[3]), late_rank = atoi(argv[4]);
    useconds_t pause = (useconds_t)(5000 + (rank == late_rank ? 1000 * atof(argv[5]) : 0));
    char *input = malloc((size_t)bytes * (size_t)size), *output = malloc((size_t)bytes * (size_t)size);
    memset(input, rank, (size_t)bytes * (size_t)size);
    memset(output, 0, (size_t)bytes * (size_t)size);
    MPI_Barrier(MPI_COMM_WORLD); /* otherwise a rank that started late would stay late with small messages */
    for (int i = 0; i < iterations; i++) {
        usleep(pause);
        if (strcmp(kind, "bcast") == 0)
            MPI_Bcast(input, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
        else if (strcmp(kind, "scatter") == 0)
            MPI_Scatter(input, bytes, MPI_BYTE, output, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
        else if (strcmp(kind, "gather") == 0)
            MPI_Gather(input, bytes, MPI_BYTE, output, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
        else if (strcmp(kind, "alltoall") == 0)
            MPI_Alltoall(input, bytes, MPI_BYTE, output, bytes, MPI_BYTE, MPI_COMM_WORLD);
        else if (strcmp(kind, "send") == 0) {
            if (rank == 0)
                MPI_Send(input, bytes, MPI_BYTE, late_rank, 1, MPI_COMM_WORLD);
            else if (rank == late_rank)
                MPI_Recv(output, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Request request = MPI_REQUEST_NULL;
            if (rank == 0)
                MPI_Isend(input, bytes, MPI_BYTE, late_rank, 1, MPI_COMM_WORLD, &request);
            else if (rank == late_rank)
                MPI_Irecv(output, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        if (messages)
            MPI_Barrier(MPI_COMM_WORLD);
    }
    free(input);
    free(output);
    MPI_Finalize();
    return 0;
}
