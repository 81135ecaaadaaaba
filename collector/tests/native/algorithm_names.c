/* Tests that native recording finds the name of the Open MPI algorithm of each call, and restores the linkage tables at
 * the end. A rules file, which test_algorithm_names.py writes, selects the algorithms.
 *
 * The collector is linked into this program, so MPI_Init is the collector's. */
#include <stdio.h>
#include <string.h>

#include "mpi/mpi_table.h"
#include "native/shared/native.h"
#include "record/record.h"

static int failures;

static void expect(bool is_true, const char *statement) {
    if (!is_true) {
        fprintf(stderr, "not true: %s\n", statement);
        failures++;
    }
}

/* Checks that the call that has just ended was recorded with this algorithm. NULL: the algorithm must be unknown. */
static void expect_name(const char *name) {
    const struct spool_record *last = record_last();
    uint64_t id = last && last->kind == SPOOL_LEAVE ? last->c >> SPOOL_ALGORITHM_AT : 0;
    expect(id == (name ? record_define_algorithm(name) : 0), name ? name : "not known");
}

static int send_buffer[1 << 16], receive_buffer[1 << 16];

static void bcast(int count, const char *name) {
    MPI_Bcast(send_buffer, count, MPI_INT, 0, MPI_COMM_WORLD);
    expect_name(name);
}

static void allreduce(MPI_Comm comm, int count, const char *name) {
    MPI_Allreduce(send_buffer, receive_buffer, count, MPI_INT, MPI_SUM, comm);
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
        allreduce(MPI_COMM_WORLD, 1 << 16, "nonoverlapping"); /* this calls functions of Reduce and Bcast */
        MPI_Barrier(MPI_COMM_WORLD);
        expect_name("doublering");
    }
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    allreduce(half, 16, "redscat_allgather");
    allreduce(MPI_COMM_SELF, 16, NULL);
    MPI_Ibcast(send_buffer, 16, MPI_INT, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect_name(NULL);
    native_collective.called = 0;
    pmpi.Bcast(send_buffer, 16, MPI_INT, 0, MPI_COMM_WORLD);
    expect(native_collective.called != 0, "Open MPI's calls go through the collector");
    native_stop();
    native_collective.called = 0;
    pmpi.Bcast(send_buffer, 16, MPI_INT, 0, MPI_COMM_WORLD);
    pmpi.Allreduce(send_buffer, receive_buffer, 16, MPI_INT, MPI_SUM, half);
    expect(native_collective.called == 0, "Open MPI's calls no longer go through the collector");
    MPI_Comm_free(&half);
    MPI_Finalize();
    return failures > 0;
}
