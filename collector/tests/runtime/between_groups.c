/* Runs every collective on an intercommunicator between a group of one rank and a group of three, in both directions.
 * Each rank prints its results. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { MAX_BLOCKS = 16 };

static int rank, send_buffer[MAX_BLOCKS], receive_buffer[MAX_BLOCKS];

static void print(const char *operation) {
    printf("%d %s", rank, operation);
    for (int i = 0; i < 6; i++)
        printf(" %d", receive_buffer[i]);
    printf("\n");
    for (int i = 0; i < MAX_BLOCKS; i++)
        receive_buffer[i] = -1;
}

/* Runs the collectives that have a root. root: the argument that this rank passes. */
static void rooted(MPI_Comm inter, int root, const int *counts, const int *places) {
    if (root == MPI_ROOT)
        memcpy(receive_buffer, send_buffer, sizeof receive_buffer);
    MPI_Bcast(receive_buffer, 2, MPI_INT, root, inter), print("bcast");
    MPI_Reduce(send_buffer, receive_buffer, 2, MPI_INT, MPI_SUM, root, inter), print("reduce");
    MPI_Gather(send_buffer, 1, MPI_INT, receive_buffer, 1, MPI_INT, root, inter), print("gather");
    MPI_Gatherv(send_buffer, 1, MPI_INT, receive_buffer, counts, places, MPI_INT, root, inter), print("gatherv");
    MPI_Scatter(send_buffer, 1, MPI_INT, receive_buffer, 1, MPI_INT, root, inter), print("scatter");
    MPI_Scatterv(send_buffer, counts, places, MPI_INT, receive_buffer, 1, MPI_INT, root, inter), print("scatterv");
}

int main(int argc, char **argv) {
    MPI_Comm half, inter;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int alone = rank == 0, counts[MAX_BLOCKS], places[MAX_BLOCKS], bytes[MAX_BLOCKS];
    MPI_Datatype types[MAX_BLOCKS];
    for (int i = 0; i < MAX_BLOCKS; i++) {
        send_buffer[i] = 100 * rank + i;
        receive_buffer[i] = -1;
        counts[i] = 1;
        places[i] = i;
        bytes[i] = i * (int)sizeof(int);
        types[i] = MPI_INT;
    }
    MPI_Comm_split(MPI_COMM_WORLD, alone, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, alone ? 1 : 0, 9, &inter);
    rooted(inter, alone ? MPI_ROOT : 0, counts, places);
    rooted(inter, alone ? 0 : rank == 1 ? MPI_ROOT : MPI_PROC_NULL, counts, places);
    MPI_Allreduce(send_buffer, receive_buffer, 2, MPI_INT, MPI_SUM, inter), print("allreduce");
    /* The groups contribute blocks of different sizes: the single rank two ints, each of the others one int. */
    MPI_Allgather(send_buffer, alone ? 2 : 1, MPI_INT, receive_buffer, alone ? 1 : 2, MPI_INT, inter),
        print("allgather");
    MPI_Allgatherv(send_buffer, 1, MPI_INT, receive_buffer, counts, places, MPI_INT, inter), print("allgatherv");
    MPI_Alltoall(send_buffer, alone ? 2 : 1, MPI_INT, receive_buffer, alone ? 1 : 2, MPI_INT, inter), print("alltoall");
    MPI_Alltoallv(send_buffer, counts, places, MPI_INT, receive_buffer, counts, places, MPI_INT, inter),
        print("alltoallv");
    MPI_Alltoallw(send_buffer, counts, bytes, types, receive_buffer, counts, bytes, types, inter), print("alltoallw");
    int block_total = 3;
    MPI_Reduce_scatter(send_buffer, receive_buffer, alone ? &block_total : counts, MPI_INT, MPI_SUM, inter),
        print("reduce_scatter");
    MPI_Reduce_scatter_block(send_buffer, receive_buffer, alone ? 3 : 1, MPI_INT, MPI_SUM, inter),
        print("reduce_scatter_block");
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
