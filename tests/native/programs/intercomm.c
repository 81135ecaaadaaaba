/* All collectives that MPI allows on intercommunicators, blocking and nonblocking, with few and many bytes, between two
 * groups, one of which has its ranks in reverse order. Then the same on a duplicate of the intercommunicator. Results
 * are checked. With an argument, only blocking ones, because MPICH 4.0.2 itself ends jobs of 5 or more ranks in the
 * others. */
#include "collective_arguments.h"

static int with_nonblocking = 1;

/* One group's view: its size, the other group's size, and the root argument in either direction. */
struct side {
    int rank, size, remote_size;
    int root_here, root_there; /* the last rank of this group, or of the other one, is the root */
};

static struct side side_of(MPI_Comm comm) {
    struct side s;
    MPI_Comm_rank(comm, &s.rank);
    MPI_Comm_size(comm, &s.size);
    MPI_Comm_remote_size(comm, &s.remote_size);
    s.root_here = s.rank == s.size - 1 ? MPI_ROOT : MPI_PROC_NULL;
    s.root_there = s.remote_size - 1;
    return s;
}

/* root: the argument of calls with a root. */
static void rooted(MPI_Comm comm, int root, struct lists l, int n, double *a, double *b) {
    MPI_Request r[1];
    MPI_Bcast(a, n, MPI_DOUBLE, root, comm);
    MPI_Reduce(a, b, n, MPI_DOUBLE, MPI_SUM, root, comm);
    MPI_Gather(a, n, MPI_DOUBLE, b, n, MPI_DOUBLE, root, comm);
    MPI_Gatherv(a, n, MPI_DOUBLE, b, l.counts, l.starts, MPI_DOUBLE, root, comm);
    MPI_Scatter(a, n, MPI_DOUBLE, b, n, MPI_DOUBLE, root, comm);
    MPI_Scatterv(a, l.counts, l.starts, MPI_DOUBLE, b, n, MPI_DOUBLE, root, comm);
    if (!with_nonblocking)
        return;
    MPI_Ibcast(b, n, MPI_DOUBLE, root, comm, &r[0]);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    MPI_Ireduce(a, b, n, MPI_DOUBLE, MPI_SUM, root, comm, &r[0]);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    MPI_Igather(a, n, MPI_DOUBLE, b, n, MPI_DOUBLE, root, comm, &r[0]);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    MPI_Iscatter(a, n, MPI_DOUBLE, b, n, MPI_DOUBLE, root, comm, &r[0]);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
}

/* shares: the counts, with the same total in both groups. */
static void unrooted(MPI_Comm comm, struct side s, struct lists l, const int *shares, int n, double *a, double *b) {
    MPI_Request r[3];
    double sum = s.remote_size * (s.remote_size + 1) / 2;
    a[0] = s.rank + 1;
    MPI_Barrier(comm);
    MPI_Allreduce(a, b, n, MPI_DOUBLE, MPI_SUM, comm);
    expect(b[0], sum, "MPI_Allreduce");
    MPI_Allgather(a, n, MPI_DOUBLE, b, n, MPI_DOUBLE, comm);
    expect(b[n * (s.remote_size - 1)], s.remote_size, "MPI_Allgather");
    MPI_Allgatherv(a, n, MPI_DOUBLE, b, l.counts, l.starts, MPI_DOUBLE, comm);
    MPI_Alltoall(a, n, MPI_DOUBLE, b, n, MPI_DOUBLE, comm);
    MPI_Alltoallv(a, l.counts, l.starts, MPI_DOUBLE, b, l.counts, l.starts, MPI_DOUBLE, comm);
    MPI_Alltoallw(a, l.counts, l.bytes, l.types, b, l.counts, l.bytes, l.types, comm);
    MPI_Reduce_scatter(a, b, shares, MPI_DOUBLE, MPI_SUM, comm);
    MPI_Reduce_scatter_block(a, b, shares[0], MPI_DOUBLE, MPI_SUM, comm);
    if (!with_nonblocking)
        return;
    MPI_Ibarrier(comm, &r[0]);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    MPI_Iallreduce(a, b, n, MPI_DOUBLE, MPI_SUM, comm, &r[0]);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    expect(b[0], sum, "MPI_Iallreduce");
    MPI_Ireduce_scatter(a, b, shares, MPI_DOUBLE, MPI_SUM, comm, &r[0]);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    MPI_Ireduce_scatter_block(a, b, shares[0], MPI_DOUBLE, MPI_SUM, comm, &r[0]);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    MPI_Ialltoall(a, n, MPI_DOUBLE, b, n, MPI_DOUBLE, comm, &r[0]);
    MPI_Ibarrier(comm, &r[1]);
    MPI_Iallgather(a, n, MPI_DOUBLE, b + n * (s.size + s.remote_size), n, MPI_DOUBLE, comm, &r[2]);
    MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv) {
    static const int counts[] = {1, 100, 10000};
    int rank;
    MPI_Comm group, intercomm, duplicate;
    MPI_Init(&argc, &argv);
    with_nonblocking = argc == 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int first = rank % 3 == 0;
    MPI_Comm_split(MPI_COMM_WORLD, first, first ? rank : -rank, &group);
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int last_of_others = size - 1 - (size % 3 == 1); /* leads the other group, whose ranks are in reverse order */
    MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, first ? last_of_others : 0, 7, &intercomm);
    struct side s = side_of(intercomm);
    for (int i = 0; i < 3; i++) {
        /* One entry for each rank of both groups, so that the lists fit either group. */
        struct lists l = make_lists(s.size + s.remote_size, counts[i]);
        struct lists shares = make_lists(s.size + s.remote_size, counts[i] * s.remote_size);
        size_t values = (size_t)counts[i] * (size_t)((s.size + s.remote_size) * (s.size + s.remote_size));
        double *a = calloc(values, sizeof *a), *b = calloc(values, sizeof *b);
        unrooted(intercomm, s, l, shares.counts, counts[i], a, b);
        rooted(intercomm, first ? s.root_here : s.root_there, l, counts[i], a, b);
        rooted(intercomm, first ? s.root_there : s.root_here, l, counts[i], a, b);
        MPI_Comm_dup(intercomm, &duplicate);
        unrooted(duplicate, s, l, shares.counts, counts[i], a, b);
        MPI_Comm_free(&duplicate);
        free(a);
        free(b);
        free_lists(l);
        free_lists(shares);
    }
    MPI_Comm_free(&intercomm);
    MPI_Comm_free(&group);
    MPI_Finalize();
}
