/* Runs collectives on communicators of equal size that have different members, or the same members in another order.
 * Each rank prints its results. */
#include <mpi.h>
#include <stdio.h>

static int rank;

/* Runs the collectives on one communicator. Runs each more than once, because the engine handles a repeated call in
 * another way. */
static void use(MPI_Comm comm, const char *name, int root) {
    int is_inter, of_comm;
    MPI_Comm_set_name(comm, name);
    MPI_Comm_test_inter(comm, &is_inter);
    MPI_Comm_rank(comm, &of_comm);
    for (int i = 0; i < 3; i++) {
        int contribution[2] = {1 << (2 * rank), i}, sum[2] = {0, 0}, broadcast = of_comm == root ? 100 * rank + i : -1;
        MPI_Allreduce(contribution, sum, 2, MPI_INT, MPI_SUM, comm);
        if (!is_inter)
            MPI_Bcast(&broadcast, 1, MPI_INT, root, comm);
        printf("%d %s: %d %d %d\n", rank, name, sum[0], sum[1], broadcast);
    }
}

int main(int argc, char **argv) {
    MPI_Comm half, twin, backwards, intercomm;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int odd = rank % 2;
    MPI_Comm_split(MPI_COMM_WORLD, odd, rank, &half);
    MPI_Comm_dup(half, &twin);
    MPI_Comm_split(MPI_COMM_WORLD, odd, -rank, &backwards);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, odd ? 0 : 1, 9, &intercomm);
    use(MPI_COMM_WORLD, "world", 2);
    use(half, odd ? "odds" : "evens", 1);
    use(twin, odd ? "odds' twin" : "evens' twin", 2);
    use(backwards, odd ? "odds backwards" : "evens backwards", 0);
    use(intercomm, "between", 0);
    MPI_Comm_free(&intercomm);
    MPI_Comm_free(&backwards);
    MPI_Comm_free(&twin);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
