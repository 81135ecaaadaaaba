/* One rank comes late to every collective, or to every message: a planted truth for what a late receiver is blamed for.
 *
 *   late_receiver WHAT BYTES ITERATIONS LATE_RANK LATE_MS
 *
 * WHAT: bcast, scatter, gather, alltoall; or a message from rank 0 to the late rank and a barrier: send (MPI_Send and
 * MPI_Recv), isend (MPI_Isend, MPI_Irecv and MPI_Wait). BYTES: of one message. All ranks sleep 5 ms before each, the
 * late one LATE_MS more; sleeping ranks need no processor.
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
    const char *what = argv[1];
    bool messages = strcmp(what, "send") == 0 || strcmp(what, "isend") == 0;
    int bytes = atoi(argv[2]), iterations = atoi(argv[3]), late = atoi(argv[4]);
    useconds_t pause = (useconds_t)(5000 + (rank == late ? 1000 * atof(argv[5]) : 0));
    char *one = malloc((size_t)bytes * (size_t)size), *other = malloc((size_t)bytes * (size_t)size);
    memset(one, rank, (size_t)bytes * (size_t)size);
    memset(other, 0, (size_t)bytes * (size_t)size);
    MPI_Barrier(MPI_COMM_WORLD); /* small messages would never make up for a rank that started late */
    for (int i = 0; i < iterations; i++) {
        usleep(pause);
        if (strcmp(what, "bcast") == 0)
            MPI_Bcast(one, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
        else if (strcmp(what, "scatter") == 0)
            MPI_Scatter(one, bytes, MPI_BYTE, other, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
        else if (strcmp(what, "gather") == 0)
            MPI_Gather(one, bytes, MPI_BYTE, other, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
        else if (strcmp(what, "alltoall") == 0)
            MPI_Alltoall(one, bytes, MPI_BYTE, other, bytes, MPI_BYTE, MPI_COMM_WORLD);
        else if (strcmp(what, "send") == 0) {
            if (rank == 0)
                MPI_Send(one, bytes, MPI_BYTE, late, 1, MPI_COMM_WORLD);
            else if (rank == late)
                MPI_Recv(other, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Request request = MPI_REQUEST_NULL;
            if (rank == 0)
                MPI_Isend(one, bytes, MPI_BYTE, late, 1, MPI_COMM_WORLD, &request);
            else if (rank == late)
                MPI_Irecv(other, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        if (messages)
            MPI_Barrier(MPI_COMM_WORLD);
    }
    free(one);
    free(other);
    MPI_Finalize();
    return 0;
}
