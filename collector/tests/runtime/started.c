/* Runs collectives that return before they are complete.
 *
 * First runs every nonblocking collective, on MPI_COMM_WORLD, on a ring and on an intercommunicator, and completes them
 * by the eight completion calls in turn. Then starts every persistent collective that the MPI library has, ROUNDS times
 * each. Two of these start in an order that differs between ranks. Each rank prints its results, so that two runs can
 * be compared. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#if MPI_VERSION >= 4 || (defined OMPI_MAJOR_VERSION && OMPI_MAJOR_VERSION >= 5)
#define PERSISTENT
#endif

/* Avoid two errors of MPICH (seen in 4.0.2 and 5.0.2). It drops a reference to the communicator at every start of a
 * persistent collective, and soon has no reference left. And its MPI_Testall fails on unfinished persistent
 * collectives. */
#ifdef MPICH_VERSION
enum { ROUNDS = 1, TESTALL_OF_PERSISTENT = 0 };
#else
enum { ROUNDS = 3, TESTALL_OF_PERSISTENT = 1 };
#endif
enum { MAX_RANKS = 16 };

#ifndef COUNT /* unless started_large.c includes this file */
#define COUNT int
#define PLACE int
#endif

static int rank, size, turn;
static int send_buffer[2 * MAX_RANKS], receive_buffer[2 * MAX_RANKS];
static COUNT counts[MAX_RANKS];
static PLACE places[MAX_RANKS], bytes[MAX_RANKS];
static MPI_Datatype types[MAX_RANKS];

static void print(const char *operation) {
    printf("%d %s", rank, operation);
    for (int i = 0; i < 2 * size; i++)
        printf(" %d", receive_buffer[i]);
    printf("\n");
}

static void fill(void) {
    for (int i = 0; i < 2 * MAX_RANKS; i++) {
        send_buffer[i] = rank * 100 + i;
        receive_buffer[i] = -1;
    }
}

/* Completes a request. Uses another completion call each time. */
static void complete(MPI_Request *request, const char *operation) {
    int flag = 0, index, indices[1];
    switch (turn++ % 8) {
    case 0:
        MPI_Wait(request, MPI_STATUS_IGNORE);
        break;
    case 1:
        MPI_Waitall(1, request, MPI_STATUSES_IGNORE);
        break;
    case 2:
        MPI_Waitany(1, request, &index, MPI_STATUS_IGNORE);
        break;
    case 3:
        MPI_Waitsome(1, request, &index, indices, MPI_STATUSES_IGNORE);
        break;
    case 4:
        while (!flag)
            MPI_Test(request, &flag, MPI_STATUS_IGNORE);
        break;
    case 5:
        while (!flag)
            MPI_Testall(1, request, &flag, MPI_STATUSES_IGNORE);
        break;
    case 6:
        while (!flag)
            MPI_Testany(1, request, &index, &flag, MPI_STATUS_IGNORE);
        break;
    default:
        while (!flag)
            MPI_Testsome(1, request, &flag, indices, MPI_STATUSES_IGNORE);
        break;
    }
    print(operation);
    fill();
}

static void nonblocking(MPI_Comm comm) {
    MPI_Request r;
    MPI_Ibarrier(comm, &r), complete(&r, "ibarrier");
    memcpy(receive_buffer, send_buffer, sizeof receive_buffer);
    MPI_Ibcast(receive_buffer, 2, MPI_INT, 1, comm, &r), complete(&r, "ibcast");
    MPI_Ireduce(send_buffer, receive_buffer, 2, MPI_INT, MPI_SUM, 2, comm, &r), complete(&r, "ireduce");
    MPI_Iallreduce(send_buffer, receive_buffer, 2, MPI_INT, MPI_MAX, comm, &r), complete(&r, "iallreduce");
    MPI_Igather(send_buffer, 2, MPI_INT, receive_buffer, 2, MPI_INT, 1, comm, &r), complete(&r, "igather");
    MPI_Igatherv(send_buffer, 1, MPI_INT, receive_buffer, counts, places, MPI_INT, 1, comm, &r),
        complete(&r, "igatherv");
    MPI_Iscatter(send_buffer, 2, MPI_INT, receive_buffer, 2, MPI_INT, 1, comm, &r), complete(&r, "iscatter");
    MPI_Iscatterv(send_buffer, counts, places, MPI_INT, receive_buffer, 1, MPI_INT, 1, comm, &r),
        complete(&r, "iscatterv");
    MPI_Iallgather(send_buffer, 1, MPI_INT, receive_buffer, 1, MPI_INT, comm, &r), complete(&r, "iallgather");
    MPI_Iallgatherv(send_buffer, 1, MPI_INT, receive_buffer, counts, places, MPI_INT, comm, &r),
        complete(&r, "iallgatherv");
    MPI_Ialltoall(send_buffer, 1, MPI_INT, receive_buffer, 1, MPI_INT, comm, &r), complete(&r, "ialltoall");
    MPI_Ialltoallv(send_buffer, counts, places, MPI_INT, receive_buffer, counts, places, MPI_INT, comm, &r),
        complete(&r, "ialltoallv");
    MPI_Ialltoallw(send_buffer, counts, bytes, types, receive_buffer, counts, bytes, types, comm, &r),
        complete(&r, "ialltoallw");
    MPI_Ireduce_scatter(send_buffer, receive_buffer, counts, MPI_INT, MPI_SUM, comm, &r),
        complete(&r, "ireduce_scatter");
    MPI_Ireduce_scatter_block(send_buffer, receive_buffer, 1, MPI_INT, MPI_SUM, comm, &r),
        complete(&r, "ireduce_scatter_block");
    MPI_Iscan(send_buffer, receive_buffer, 2, MPI_INT, MPI_SUM, comm, &r), complete(&r, "iscan");
    MPI_Iexscan(send_buffer, receive_buffer, 2, MPI_INT, MPI_SUM, comm, &r), complete(&r, "iexscan");
}

static MPI_Comm make_ring(MPI_Comm comm) {
    int periodic = 1;
    MPI_Comm ring;
    MPI_Cart_create(comm, 1, &size, &periodic, 0, &ring);
    return ring;
}

static void neighbours(MPI_Comm ring) {
    MPI_Aint displacements[2] = {0, sizeof(int)};
    MPI_Request r;
    MPI_Ineighbor_allgather(send_buffer, 1, MPI_INT, receive_buffer, 1, MPI_INT, ring, &r),
        complete(&r, "ineighbor_allgather");
    MPI_Ineighbor_allgatherv(send_buffer, 1, MPI_INT, receive_buffer, counts, places, MPI_INT, ring, &r);
    complete(&r, "ineighbor_allgatherv");
    MPI_Ineighbor_alltoall(send_buffer, 1, MPI_INT, receive_buffer, 1, MPI_INT, ring, &r),
        complete(&r, "ineighbor_alltoall");
    MPI_Ineighbor_alltoallv(send_buffer, counts, places, MPI_INT, receive_buffer, counts, places, MPI_INT, ring, &r);
    complete(&r, "ineighbor_alltoallv");
    MPI_Ineighbor_alltoallw(send_buffer, counts, displacements, types, receive_buffer, counts, displacements, types,
                            ring, &r);
    complete(&r, "ineighbor_alltoallw");
}

/* Runs collectives on an intercommunicator between two groups: rank 0, and all other ranks. */
static void between_groups(MPI_Comm comm) {
    MPI_Comm half, inter;
    MPI_Request r;
    int root = rank == 0 ? MPI_ROOT : 0;
    MPI_Comm_split(comm, rank == 0, rank, &half);
    MPI_Intercomm_create(half, 0, comm, rank == 0 ? 1 : 0, 3, &inter);
    MPI_Ibarrier(inter, &r), complete(&r, "inter ibarrier");
    memcpy(receive_buffer, send_buffer, sizeof receive_buffer);
    MPI_Ibcast(receive_buffer, 2, MPI_INT, root, inter, &r), complete(&r, "inter ibcast");
    MPI_Iallreduce(send_buffer, receive_buffer, 2, MPI_INT, MPI_SUM, inter, &r), complete(&r, "inter iallreduce");
    MPI_Bcast(receive_buffer, 2, MPI_INT, root, inter);
    /* The other direction: rank 1 is the root, and the rest of its group takes no part. */
    root = rank == 0 ? 0 : rank == 1 ? MPI_ROOT : MPI_PROC_NULL;
    MPI_Bcast(receive_buffer, 2, MPI_INT, root, inter);
    print("inter bcast");
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
}

static void concurrent(MPI_Comm comm) {
    MPI_Request requests[3];
    int sum = 0, largest = 0, source = (rank + size - 1) % size, received = -1;
    MPI_Irecv(&received, 1, MPI_INT, source, 4, comm, &requests[0]);
    MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm, &requests[1]);
    MPI_Iallreduce(&rank, &largest, 1, MPI_INT, MPI_MAX, comm, &requests[2]);
    MPI_Send(&rank, 1, MPI_INT, (rank + 1) % size, 4, comm);
    MPI_Allreduce(MPI_IN_PLACE, send_buffer, 1, MPI_INT, MPI_SUM, comm);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    printf("%d together %d %d %d\n", rank, received, sum, largest);
    MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    printf("%d self %d\n", rank, sum);
}

#ifdef PERSISTENT
static void start(MPI_Request *request, const char *operation) {
    for (int i = 0; i < ROUNDS; i++) {
        if (i % 2)
            MPI_Start(request);
        else
            MPI_Startall(1, request);
        if (turn % 8 == 5 && !TESTALL_OF_PERSISTENT)
            turn++;
        complete(request, operation);
    }
    MPI_Request_free(request);
}

static void persistent(MPI_Comm comm) {
    MPI_Request r, requests[2];
    MPI_Info info = MPI_INFO_NULL;
    MPI_Barrier_init(comm, info, &r), start(&r, "barrier_init");
    MPI_Bcast_init(receive_buffer, 2, MPI_INT, 1, comm, info, &r), start(&r, "bcast_init");
    MPI_Reduce_init(send_buffer, receive_buffer, 2, MPI_INT, MPI_SUM, 2, comm, info, &r), start(&r, "reduce_init");
    MPI_Allreduce_init(send_buffer, receive_buffer, 2, MPI_INT, MPI_MAX, comm, info, &r), start(&r, "allreduce_init");
    MPI_Gather_init(send_buffer, 2, MPI_INT, receive_buffer, 2, MPI_INT, 1, comm, info, &r), start(&r, "gather_init");
    MPI_Gatherv_init(send_buffer, 1, MPI_INT, receive_buffer, counts, places, MPI_INT, 1, comm, info, &r),
        start(&r, "gatherv_init");
    MPI_Scatter_init(send_buffer, 2, MPI_INT, receive_buffer, 2, MPI_INT, 1, comm, info, &r), start(&r, "scatter_init");
    MPI_Scatterv_init(send_buffer, counts, places, MPI_INT, receive_buffer, 1, MPI_INT, 1, comm, info, &r),
        start(&r, "scatterv_init");
    MPI_Allgather_init(send_buffer, 1, MPI_INT, receive_buffer, 1, MPI_INT, comm, info, &r),
        start(&r, "allgather_init");
    MPI_Allgatherv_init(send_buffer, 1, MPI_INT, receive_buffer, counts, places, MPI_INT, comm, info, &r),
        start(&r, "allgatherv_init");
    MPI_Alltoall_init(send_buffer, 1, MPI_INT, receive_buffer, 1, MPI_INT, comm, info, &r), start(&r, "alltoall_init");
    MPI_Alltoallv_init(send_buffer, counts, places, MPI_INT, receive_buffer, counts, places, MPI_INT, comm, info, &r);
    start(&r, "alltoallv_init");
    MPI_Alltoallw_init(send_buffer, counts, bytes, types, receive_buffer, counts, bytes, types, comm, info, &r);
    start(&r, "alltoallw_init");
    MPI_Reduce_scatter_init(send_buffer, receive_buffer, counts, MPI_INT, MPI_SUM, comm, info, &r),
        start(&r, "reduce_scatter_init");
    MPI_Reduce_scatter_block_init(send_buffer, receive_buffer, 1, MPI_INT, MPI_SUM, comm, info, &r);
    start(&r, "reduce_scatter_block_init");
    MPI_Scan_init(send_buffer, receive_buffer, 2, MPI_INT, MPI_SUM, comm, info, &r), start(&r, "scan_init");
    MPI_Exscan_init(send_buffer, receive_buffer, 2, MPI_INT, MPI_SUM, comm, info, &r), start(&r, "exscan_init");
    /* The two collectives are created in the same order on all ranks, and started in an order that differs. */
    MPI_Barrier_init(comm, info, &requests[0]);
    MPI_Allreduce_init(send_buffer, receive_buffer, 1, MPI_INT, MPI_SUM, comm, info, &requests[1]);
    MPI_Start(&requests[rank % 2]);
    MPI_Start(&requests[1 - rank % 2]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    print("two orders");
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}

static void persistent_neighbours(MPI_Comm ring) {
    MPI_Aint displacements[2] = {0, sizeof(int)};
    MPI_Request r;
    MPI_Info info = MPI_INFO_NULL;
    MPI_Neighbor_allgather_init(send_buffer, 1, MPI_INT, receive_buffer, 1, MPI_INT, ring, info, &r),
        start(&r, "neighbor_allgather");
    MPI_Neighbor_allgatherv_init(send_buffer, 1, MPI_INT, receive_buffer, counts, places, MPI_INT, ring, info, &r);
    start(&r, "neighbor_allgatherv");
    MPI_Neighbor_alltoall_init(send_buffer, 1, MPI_INT, receive_buffer, 1, MPI_INT, ring, info, &r),
        start(&r, "neighbor_alltoall");
    MPI_Neighbor_alltoallv_init(send_buffer, counts, places, MPI_INT, receive_buffer, counts, places, MPI_INT, ring,
                                info, &r);
    start(&r, "neighbor_alltoallv");
    MPI_Neighbor_alltoallw_init(send_buffer, counts, displacements, types, receive_buffer, counts, displacements, types,
                                ring, info, &r);
    start(&r, "neighbor_alltoallw");
}
#endif

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < MAX_RANKS; i++) {
        counts[i] = 1;
        places[i] = i;
        bytes[i] = i * (int)sizeof(int);
        types[i] = MPI_INT;
    }
    fill();
    nonblocking(MPI_COMM_WORLD);
    MPI_Comm ring = make_ring(MPI_COMM_WORLD);
    neighbours(ring);
    between_groups(MPI_COMM_WORLD);
    concurrent(MPI_COMM_WORLD);
#ifdef PERSISTENT
    persistent(MPI_COMM_WORLD);
    persistent_neighbours(ring);
#endif
    MPI_Comm_free(&ring);
    MPI_Finalize();
    return 0;
}
