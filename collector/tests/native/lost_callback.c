/* Tests that a request's end is recorded once even if the library does not call the callback. This happens if another
 * thread, about to complete the request, looks for a callback just before it is stored. The test cannot force that
 * moment, so it removes the callback from a real request. The end must be recorded when the thread checks the request
 * again.
 *
 * The collector is linked into this program, so MPI_Init is the collector's. */
#include <stdio.h>
#include <string.h>

#include "mpi/mpi_table.h"
#include "native/openmpi/hops.h"
#include "record/record.h"

static int failures;

static void expect(bool is_true, const char *statement) {
    if (!is_true) {
        fprintf(stderr, "not true: %s\n", statement);
        failures++;
    }
}

static struct openmpi_request *watched_receive(int *buffer, int count, struct hop_end *end) {
    static const struct subject subject = {.comm = 1, .key = 1, .seq = 1};
    MPI_Request request;
    *end = hop_of(&subject, false, 0, (size_t)count, MPI_INT);
    hop_begin(end);
    pmpi.Irecv(buffer, count, MPI_INT, 0, 7, MPI_COMM_SELF, &request);
    struct openmpi_request *internal_request = (struct openmpi_request *)request;
    hop_watch(end, internal_request);
    return internal_request;
}

static void take_callback_away(struct openmpi_request *request) {
    expect(hop_is_watched(request), "a receive that is not complete will call back");
    *(openmpi_completed **)openmpi_word(request, openmpi_layout.callback) = NULL;
}

static bool is_end_of(const struct spool_record *record, const struct hop_end *end) {
    return record && record->kind == SPOOL_HOP_IRECV && record->c == end->end.id;
}

int main(int argc, char **argv) {
    int provided, sent = 5, received[3] = {0};
    struct hop_end end;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    expect(record_is_on() && provided == MPI_THREAD_MULTIPLE, "recording, with threads");

    MPI_Request request = (MPI_Request)watched_receive(received, 3, &end);
    take_callback_away((struct openmpi_request *)request);
    pmpi.Send(&sent, 1, MPI_INT, 0, 7, MPI_COMM_SELF);
    expect(openmpi_is_complete((struct openmpi_request *)request), "complete, not freed");
    expect(!is_end_of(record_last(), &end), "its end is unknown");
    hops_leave_thread();
    expect(is_end_of(record_last(), &end) && record_last()->b == sizeof sent, "its end is recorded as it was");
    pmpi.Wait(&request, MPI_STATUS_IGNORE);

    request = (MPI_Request)watched_receive(received, 1, &end);
    take_callback_away((struct openmpi_request *)request);
    pmpi.Send(&sent, 1, MPI_INT, 0, 7, MPI_COMM_SELF);
    pmpi.Wait(&request, MPI_STATUS_IGNORE);
    struct hop_end second_end;
    request = (MPI_Request)watched_receive(received, 1, &second_end);
    hops_leave_thread();
    expect(is_end_of(record_last(), &end), "the end of a request that was freed and used anew is recorded");
    struct spool_record *last = record_last();
    pmpi.Send(&sent, 1, MPI_INT, 0, 7, MPI_COMM_SELF);
    pmpi.Wait(&request, MPI_STATUS_IGNORE);
    expect(record_last() == last + 1 && is_end_of(record_last(), &second_end), "the other one calls back by itself");
    hops_leave_thread();
    expect(record_last() == last + 1, "nothing is recorded twice");
    MPI_Finalize();
    return failures > 0;
}
