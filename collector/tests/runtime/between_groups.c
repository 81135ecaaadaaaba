/* Every collective on an intercommunicator between one rank and three, in both directions. Each rank prints its
 * results. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 16 };

static int rank, mine[MOST], out[MOST];

static void print(const char *what) {
    printf("%d %s", rank, what);
    for (int i = 0; i < 6; i++)
        printf(" %d", out[i]);
    printf("\n");
    for (int i = 0; i < MOST; i++)
        out[i] = -1;
}

/* root: the argument that this rank passes. The root has `all` blocks. */
static void rooted(MPI_Comm inter, int root, const int *counts, const int *places) {
    if (root == MPI_ROOT)
        memcpy(out, mine, sizeof out);
    MPI_Bcast(out, 2, MPI_INT, root, inter), print("bcast");
    MPI_Reduce(mine, out, 2, MPI_INT, MPI_SUM, root, inter), print("reduce");
    MPI_Gather(mine, 1, MPI_INT, out, 1, MPI_INT, root, inter), print("gather");
    MPI_Gatherv(mine, 1, MPI_INT, out, counts, places, MPI_INT, root, inter), print("gatherv");
    MPI_Scatter(mine, 1, MPI_INT, out, 1, MPI_INT, root, inter), print("scatter");
    MPI_Scatterv(mine, counts, places, MPI_INT, out, 1, MPI_INT, root, inter), print("scatterv");
}

int main(int argc, char **argv) {
    MPI_Comm half, inter;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int alone = rank == 0, counts[MOST], places[MOST], bytes[MOST];
    MPI_Datatype types[MOST];
    for (int i = 0; i < MOST; i++) {
        mine[i] = 100 * rank + i;
        out[i] = -1;
        counts[i] = 1;
        places[i] = i;
        bytes[i] = i * (int)sizeof(int);
        types[i] = MPI_INT;
    }
    MPI_Comm_split(MPI_COMM_WORLD, alone, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, alone ? 1 : 0, 9, &inter);
    rooted(inter, alone ? MPI_ROOT : 0, counts, places);
    rooted(inter, alone ? 0 : rank == 1 ? MPI_ROOT : MPI_PROC_NULL, counts, places);
    MPI_Allreduce(mine, out, 2, MPI_INT, MPI_SUM, inter), print("allreduce");
    /* The groups contribute blocks of different sizes: two ints from the single rank, one int from each of the others.
     * */
    MPI_Allgather(mine, alone ? 2 : 1, MPI_INT, out, alone ? 1 : 2, MPI_INT, inter), print("allgather");
    MPI_Allgatherv(mine, 1, MPI_INT, out, counts, places, MPI_INT, inter), print("allgatherv");
    MPI_Alltoall(mine, alone ? 2 : 1, MPI_INT, out, alone ? 1 : 2, MPI_INT, inter), print("alltoall");
    MPI_Alltoallv(mine, counts, places, MPI_INT, out, counts, places, MPI_INT, inter), print("alltoallv");
    MPI_Alltoallw(mine, counts, bytes, types, out, counts, bytes, types, inter), print("alltoallw");
    int three = 3;
    MPI_Reduce_scatter(mine, out, alone ? &three : counts, MPI_INT, MPI_SUM, inter), print("reduce_scatter");
    MPI_Reduce_scatter_block(mine, out, alone ? 3 : 1, MPI_INT, MPI_SUM, inter), print("reduce_scatter_block");
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
