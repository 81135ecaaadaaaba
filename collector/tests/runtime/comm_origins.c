/* Creates communicators in every possible way, names each after the way, and runs a Barrier on each. Two nonblocking
 * duplicates complete in opposite orders on even and odd ranks. */
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
    MPI_Comm comms[12], first_duplicate, second_duplicate;
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

    MPI_Comm_dup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &comms[0]);
    use(comms[0], "dup with info");
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comms[1]);
    use(comms[1], "shared");
    MPI_Comm_create(MPI_COMM_WORLD, half, &comms[2]);
    use(comms[2], "create");
    MPI_Comm_create_group(MPI_COMM_WORLD, half, 5, &comms[3]);
    use(comms[3], "create group");
    MPI_Cart_create(MPI_COMM_WORLD, 2, extents, periodic, 1, &comms[4]);
    use(comms[4], "grid");
    MPI_Cart_sub(comms[4], remaining, &comms[5]);
    use(comms[5], "column");
    int index[4] = {1, 2, 3, 4}, edges[4] = {1, 0, 3, 2};
    MPI_Graph_create(MPI_COMM_WORLD, 4, index, edges, 0, &comms[6]);
    use(comms[6], "graph");
    int neighbour = rank ^ 1, weight = 1;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &neighbour, &weight, 1, &neighbour, &weight, MPI_INFO_NULL, 0,
                                   &comms[7]);
    use(comms[7], "adjacent");
    int degree = 1;
    MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &degree, &neighbour, &weight, MPI_INFO_NULL, 0, &comms[8]);
    use(comms[8], "dist graph");
    MPI_Intercomm_create(comms[2], 0, MPI_COMM_WORLD, rank < 2 ? 2 : 0, 9, &comms[9]);
    use(comms[9], "inter");
    int sent = rank, received = -1;
    MPI_Sendrecv(&sent, 1, MPI_INT, rank % 2, 11, &received, 1, MPI_INT, rank % 2, 11, comms[9], MPI_STATUS_IGNORE);
    printf("%d across %d\n", rank, received);
    MPI_Intercomm_merge(comms[9], rank < 2, &comms[10]);
    use(comms[10], "merged");
    MPI_Comm_dup(comms[5], &comms[11]);
    use(comms[11], "dup of column");
    MPI_Comm_idup(MPI_COMM_WORLD, &first_duplicate, &requests[0]);
    MPI_Comm_idup(MPI_COMM_WORLD, &second_duplicate, &requests[1]);
    MPI_Wait(&requests[rank % 2], MPI_STATUS_IGNORE);
    MPI_Wait(&requests[1 - rank % 2], MPI_STATUS_IGNORE);
    use(first_duplicate, "idup one");
    use(second_duplicate, "idup two");
    MPI_Barrier(MPI_COMM_SELF);

    for (int i = 11; i >= 0; i--)
        drop(comms[i]);
    drop(first_duplicate);
    MPI_Comm_disconnect(&second_duplicate);
    MPI_Group_free(&half);
    MPI_Group_free(&world);
    printf("%d done\n", rank);
    MPI_Finalize();
    return 0;
}
