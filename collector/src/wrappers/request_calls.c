/* The wrappers of functions that start persistent requests, and that cancel or free requests. */
#include "native/shared/native.h"
#include "wrappers/message.h"
#include "wrappers/requests.h"
#include "wrappers/started.h"

static void record_start_of(const struct call *call, MPI_Request handle) {
    struct request request;
    if (!requests_activate(handle, record_request_id(), record_gap(), &request))
        return;
    if (request.kind == REQUEST_PARTITIONED_SEND)
        return;        /* a partitioned send is recorded when its last partition is ready */
    if (request.gap) { /* the send is not recorded, but the matching must know of its message */
        if (request.kind == REQUEST_SEND)
            record_skip_send(request.comm, (uint32_t)request.peer, (uint32_t)request.tag);
        return;
    }
    if (request.kind == REQUEST_COLLECTIVE)
        started_record(call, started_comm(&request), &request);
    else if (request.kind == REQUEST_SEND)
        record_append(call->enter, SPOOL_ISEND, 0, request.comm, message_peer(request.peer, request.tag), request.bytes,
                      request.id);
    else
        record_append(call->enter, SPOOL_IRECV_POST, 0, 0, 0, 0, request.id);
}

static int leave_start(struct call *call, int count, const MPI_Request requests[]) {
    if (call_passed_on(call))
        return call->error;
    uint64_t leave = clock_now();
    for (int i = 0; call->error == MPI_SUCCESS && i < count; i++)
        record_start_of(call, requests[i]);
    return call_leave_at(call, leave);
}

static void expect(const struct call *call, int count, const MPI_Request requests[]) {
    for (int i = 0; !call_passed_on(call) && native_knows_tags() && i < count; i++)
        started_expect(requests[i]);
}

WRAPPER int MPI_Start(MPI_Request *request) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_Start, CALLER);
    expect(&call, 1, request);
    call.error = pmpi.Start(request);
    return leave_start(&call, 1, request);
}

WRAPPER int MPI_Startall(int count, MPI_Request requests[]) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_Startall, CALLER);
    expect(&call, count, requests);
    call.error = pmpi.Startall(count, requests);
    return leave_start(&call, count, requests);
}

WRAPPER int MPI_Cancel(MPI_Request *request) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_Cancel, CALLER);
    if (!call_passed_on(&call))
        requests_mark_cancelled(*request);
    call.error = pmpi.Cancel(request);
    return call_leave(&call);
}

WRAPPER int MPI_Request_free(MPI_Request *request) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_Request_free, CALLER);
    MPI_Request handle = call_passed_on(&call) ? MPI_REQUEST_NULL : *request;
    call.error = pmpi.Request_free(request);
    if (call.error == MPI_SUCCESS && !call_passed_on(&call))
        requests_forget(handle);
    return call_leave(&call);
}
