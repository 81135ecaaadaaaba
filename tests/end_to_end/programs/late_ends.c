/* Messages between two ranks with planted waits: a late sender, a late receiver, and messages received in the wrong
 * order.
 *
 *   late_ends ITERATIONS SENDER_MS RECEIVER_MS ORDER_MS
 *
 * Each iteration has three parts, with a barrier after each. First, rank 1 sends SENDER_MS late. Then rank 1 receives a
 * message RECEIVER_MS late; no library buffers this message. Last, rank 1 sends tag 1, and tag 2 ORDER_MS later, while
 * rank 0 receives tag 2 first.
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { SMALL = 64, LARGE = 4 << 20 };

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc != 5) {
        fprintf(stderr, "usage: late_ends ITERATIONS SENDER_MS RECEIVER_MS ORDER_MS\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    useconds_t delays[3];
    for (int i = 0; i < 3; i++)
        delays[i] = (useconds_t)(1000 * atof(argv[2 + i]));
    char *buffer = calloc(LARGE, 1);
    for (int i = 0; i < atoi(argv[1]); i++) {
        if (rank == 1) {
            usleep(delays[0]);
            MPI_Send(buffer, SMALL, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
        } else
            MPI_Recv(buffer, SMALL, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 1) {
            usleep(delays[1]);
            MPI_Recv(buffer, LARGE, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else
            MPI_Send(buffer, LARGE, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 1) {
            MPI_Send(buffer, SMALL, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
            usleep(delays[2]);
            MPI_Send(buffer, SMALL, MPI_BYTE, 0, 2, MPI_COMM_WORLD);
        } else
            for (int tag = 2; tag > 0; tag--)
                MPI_Recv(buffer, SMALL, MPI_BYTE, 1, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    free(buffer);
    MPI_Finalize();
    return 0;
}
