#include "wrappers/started.h"

#include "native/shared/native.h"

/* Combines a request id, and the root in the bits above it, in one word: the record of a collective's end has one field
 * for both. */
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

/* Does nothing if the collective began in a recording gap. */
void started_record(const struct call *call, const struct comm *comm, const struct request *request) {
    if (request->gap)
        return;
    bool has_messages = collective_has_messages(request->function, request->bytes, request->received);
    uint64_t reason = native_started_reason(comm, request->seq, has_messages);
    record_append(call->enter, SPOOL_COLLECTIVE_REQUEST, request->function, request->comm,
                  call->site | reason << SPOOL_REASON_AT, request->seq, request->id);
}

void started_complete(uint64_t ticks, const struct request *request) {
    if (request->gap)
        return;
    record_append(ticks, SPOOL_COLLECTIVE_COMPLETE, request->function, request->comm, request->bytes, request->received,
                  id_and_root(request->id, request->root));
}

void nonblocking_enter(struct call *call, enum mpi_function function, const void *caller, MPI_Comm comm, int root) {
    collective_enter(call, function, caller, comm, root);
    native_end(); /* no blocking collective is open: a nonblocking one's messages may go in any call */
    call->tag = !call_passed_on(call) && call->comm ? native_next_tag(call->comm) : 0;
    if (call->tag)
        native_expect(call->comm, call->tag, call->seq);
}

int nonblocking_leave(struct call *call, uint64_t sent, uint64_t received, const MPI_Request *handle) {
    if (call_passed_on(call))
        return call->error;
    uint64_t leave = clock_now();
    if (call->tag && native_next_tag(call->comm) == call->tag)
        native_expect_no_more(call->comm, call->tag);
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
        started_record(call, call->comm, &request);
        if (*handle == MPI_REQUEST_NULL || requests_complete_at_once(*handle))
            started_complete(leave, &request);
        else
            requests_add(*handle, request);
    }
    return call_leave_at(call, leave);
}

void persistent_enter(struct call *call, enum mpi_function function, const void *caller, MPI_Comm comm, int root) {
    call_enter(call, function, caller);
    call->comm = call_passed_on(call) ? NULL : comm_find(comm);
    call->root = collective_root(root);
    call->seq = call->comm ? ++call->comm->persistent << ARCHIVE_PERSISTENT_SHIFT : 0;
    call->tag = call->comm ? native_next_tag(call->comm) : 0;
}

const struct comm *started_comm(const struct request *request) {
    const struct comm *comm = comm_find(request->comm_handle);
    return comm && comm->id == request->comm ? comm : NULL;
}

void started_expect(MPI_Request handle) {
    struct request request;
    if (!requests_look_up(handle, &request) || request.kind != REQUEST_COLLECTIVE || !request.tag)
        return;
    const struct comm *comm = started_comm(&request);
    if (comm)
        native_expect(comm, request.tag, request.seq);
}

int persistent_leave(struct call *call, uint64_t sent, uint64_t received, const MPI_Request *handle) {
    if (call->error == MPI_SUCCESS && call->comm) {
        struct request request = request_of(call, sent, received);
        request.persistent = true;
        request.seq = call->seq;
        request.comm_handle = call->comm->handle;
        if (native_next_tag(call->comm) != call->tag) /* if the next tag has changed, this collective uses call->tag */
            request.tag = call->tag;
        requests_add(*handle, request);
    } else if (call->comm && collective_refused(call)) {
        call->comm->persistent--;
    }
    return call_leave(call);
}
