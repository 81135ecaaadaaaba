/* Which of Open MPI's algorithms a call ran is known by name while native hops are recorded, and its linkage tables are
 * as before afterwards. A rules file, which test_algorithm_names.py writes, chooses the algorithms.
 *
 * The collector is linked into this program, so MPI_Init is the collector's.
 */
#include <stdio.h>
#include <string.h>

#include "mpi/mpi_table.h"
#include "native/shared/native.h"
#include "record/record.h"

static int failures;

static void expect(bool is_true, const char *what) {
    if (!is_true) {
        fprintf(stderr, "not true: %s\n", what);
        failures++;
    }
}

/* The call that has just ended ran this algorithm; NULL: it is not known which. */
static void expect_name(const char *name) {
    const struct spool_record *last = record_last();
    uint64_t id = last && last->kind == SPOOL_LEAVE ? last->c >> SPOOL_ALGORITHM_AT : 0;
    expect(id == (name ? record_define_algorithm(name) : 0), name ? name : "not known");
}

static int in[1 << 16], out[1 << 16];

static void bcast(int count, const char *name) {
    MPI_Bcast(in, count, MPI_INT, 0, MPI_COMM_WORLD);
    expect_name(name);
}

static void allreduce(MPI_Comm comm, int count, const char *name) {
    MPI_Allreduce(in, out, count, MPI_INT, MPI_SUM, comm);
    expect_name(name);
}

int main(int argc, char **argv) {
    int rank;
    MPI_Comm half;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    expect(record_is_on() && native_knows_tags(), "recording, with native hops");
    for (int i = 0; i < 3; i++) {
        bcast(16, "basic_linear");
        bcast(1 << 16, "scatter_allgather_ring");
        allreduce(MPI_COMM_WORLD, 16, "redscat_allgather");
        allreduce(MPI_COMM_WORLD, 1 << 16, "nonoverlapping"); /* which calls functions of Reduce and Bcast */
        MPI_Barrier(MPI_COMM_WORLD);
        expect_name("doublering");
    }
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    allreduce(half, 16, "redscat_allgather");
    allreduce(MPI_COMM_SELF, 16, NULL);
    MPI_Ibcast(in, 16, MPI_INT, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect_name(NULL);
    native_collective.called = 0;
    pmpi.Bcast(in, 16, MPI_INT, 0, MPI_COMM_WORLD);
    expect(native_collective.called != 0, "Open MPI's calls go through the collector");
    native_stop();
    native_collective.called = 0;
    pmpi.Bcast(in, 16, MPI_INT, 0, MPI_COMM_WORLD);
    pmpi.Allreduce(in, out, 16, MPI_INT, MPI_SUM, half);
    expect(native_collective.called == 0, "Open MPI's calls no longer go through the collector");
    MPI_Comm_free(&half);
    MPI_Finalize();
    return failures > 0;
}
