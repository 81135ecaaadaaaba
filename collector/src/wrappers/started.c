#include "wrappers/started.h"

/* A request id and, above it, the root, so that the record that ends a collective says all of it. */
static uint64_t id_and_root(uint64_t id, uint64_t root) {
    return id | (root + 1) << SPOOL_REQUEST_BITS;
}

static struct request request_of(const struct call *call, uint64_t sent, uint64_t received) {
    return (struct request){.kind = REQUEST_COLLECTIVE,
                            .function = (uint16_t)call->function,
                            .comm = call->comm->id,
                            .root = call->root,
                            .bytes = sent,
                            .received = received};
}

/* Of one that began in a gap of the recording nothing is recorded. */
void started_record(const struct call *call, const struct request *request) {
    if (request->gap)
        return;
    record_append(call->enter, SPOOL_COLLECTIVE_REQUEST, request->function, request->comm, call->site, request->seq,
                  request->id);
}

void started_complete(uint64_t ticks, const struct request *request) {
    if (request->gap)
        return;
    record_append(ticks, SPOOL_COLLECTIVE_COMPLETE, request->function, request->comm, request->bytes, request->received,
                  id_and_root(request->id, request->root));
}

int nonblocking_leave(struct call *call, uint64_t sent, uint64_t received, MPI_Request handle) {
    uint64_t leave = clock_now();
    if (call->error != MPI_SUCCESS && collective_refused(call)) {
        if (call->comm)
            call->comm->next_seq = call->seq;
        return call_leave_refused(call, leave);
    }
    if (call->error == MPI_SUCCESS && call->comm) {
        struct request request = request_of(call, sent, received);
        request.active = true;
        request.id = record_request_id();
        request.gap = record_gap();
        request.seq = call->seq;
        started_record(call, &request);
        if (handle == MPI_REQUEST_NULL || requests_complete_at_once(handle))
            started_complete(leave, &request);
        else
            requests_add(handle, request);
    }
    return call_leave_at(call, leave);
}

bool persistent_enter(struct call *call, enum mpi_function function, const void *caller, MPI_Comm comm, int root) {
    if (!call_enter(call, function, caller))
        return false;
    call->comm = comm_find(comm);
    call->root = collective_root(root);
    call->seq = call->comm ? ++call->comm->persistent << SPOOL_PERSISTENT_SHIFT : 0;
    return true;
}

int persistent_leave(struct call *call, uint64_t sent, uint64_t received, MPI_Request handle) {
    if (call->error == MPI_SUCCESS && call->comm) {
        struct request request = request_of(call, sent, received);
        request.persistent = true;
        request.seq = call->seq;
        requests_add(handle, request);
    } else if (call->comm && collective_refused(call)) {
        call->comm->persistent--;
    }
    return call_leave(call);
}
