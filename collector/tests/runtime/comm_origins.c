/* Communicators made in every possible way and named after it, with a Barrier on each. Two nonblocking duplicates
 * complete in opposite orders on even and odd ranks. */
#include <mpi.h>
#include <stdio.h>

static int rank, size;

static void use(MPI_Comm comm, const char *name) {
    if (comm == MPI_COMM_NULL)
        return;
    MPI_Comm_set_name(comm, name);
    MPI_Barrier(comm);
}

static void drop(MPI_Comm comm) {
    if (comm != MPI_COMM_NULL)
        MPI_Comm_free(&comm);
}

int main(int argc, char **argv) {
    MPI_Comm made[12], one, two;
    MPI_Request requests[2];
    MPI_Group world, half;
    int provided, extents[2] = {2, 2}, periodic[2] = {0, 0}, remaining[2] = {1, 0};
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size != 4)
        MPI_Abort(MPI_COMM_WORLD, 1);
    int low[2] = {0, 1}, high[2] = {2, 3};
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 2, rank < 2 ? low : high, &half);

    MPI_Comm_dup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &made[0]);
    use(made[0], "dup with info");
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &made[1]);
    use(made[1], "shared");
    MPI_Comm_create(MPI_COMM_WORLD, half, &made[2]);
    use(made[2], "create");
    MPI_Comm_create_group(MPI_COMM_WORLD, half, 5, &made[3]);
    use(made[3], "create group");
    MPI_Cart_create(MPI_COMM_WORLD, 2, extents, periodic, 1, &made[4]);
    use(made[4], "grid");
    MPI_Cart_sub(made[4], remaining, &made[5]);
    use(made[5], "column");
    int index[4] = {1, 2, 3, 4}, edges[4] = {1, 0, 3, 2};
    MPI_Graph_create(MPI_COMM_WORLD, 4, index, edges, 0, &made[6]);
    use(made[6], "graph");
    int neighbour = rank ^ 1, weight = 1;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &neighbour, &weight, 1, &neighbour, &weight, MPI_INFO_NULL, 0,
                                   &made[7]);
    use(made[7], "adjacent");
    int degree = 1;
    MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &degree, &neighbour, &weight, MPI_INFO_NULL, 0, &made[8]);
    use(made[8], "dist graph");
    MPI_Intercomm_create(made[2], 0, MPI_COMM_WORLD, rank < 2 ? 2 : 0, 9, &made[9]);
    use(made[9], "inter");
    int out = rank, in = -1;
    MPI_Sendrecv(&out, 1, MPI_INT, rank % 2, 11, &in, 1, MPI_INT, rank % 2, 11, made[9], MPI_STATUS_IGNORE);
    printf("%d across %d\n", rank, in);
    MPI_Intercomm_merge(made[9], rank < 2, &made[10]);
    use(made[10], "merged");
    MPI_Comm_dup(made[5], &made[11]);
    use(made[11], "dup of column");
    MPI_Comm_idup(MPI_COMM_WORLD, &one, &requests[0]);
    MPI_Comm_idup(MPI_COMM_WORLD, &two, &requests[1]);
    MPI_Wait(&requests[rank % 2], MPI_STATUS_IGNORE);
    MPI_Wait(&requests[1 - rank % 2], MPI_STATUS_IGNORE);
    use(one, "idup one");
    use(two, "idup two");
    MPI_Barrier(MPI_COMM_SELF);

    for (int i = 11; i >= 0; i--)
        drop(made[i]);
    drop(one);
    MPI_Comm_disconnect(&two);
    MPI_Group_free(&half);
    MPI_Group_free(&world);
    printf("%d done\n", rank);
    MPI_Finalize();
    return 0;
}
