/* Persistent requests that are started, and requests that are cancelled or given up. */
#include "wrappers/message.h"
#include "wrappers/requests.h"
#include "wrappers/started.h"

static void record_start_of(const struct call *call, MPI_Request handle) {
    struct request request;
    if (!requests_activate(handle, record_request_id(), record_gap(), &request))
        return;
    if (request.kind == REQUEST_PARTITIONED_SEND)
        return;        /* it begins when it is ready */
    if (request.gap) { /* nothing of it is recorded, but the others are matched by their numbers */
        if (request.kind == REQUEST_SEND)
            record_skip_send(request.comm, (uint32_t)request.peer, (uint32_t)request.tag);
        return;
    }
    if (request.kind == REQUEST_COLLECTIVE)
        started_record(call, &request);
    else if (request.kind == REQUEST_SEND)
        record_append(call->enter, SPOOL_ISEND, 0, request.comm, message_peer(request.peer, request.tag), request.bytes,
                      request.id);
    else
        record_append(call->enter, SPOOL_IRECV_POST, 0, 0, 0, 0, request.id);
}

WRAPPER int MPI_Start(MPI_Request *request) {
    struct call call;
    if (!call_enter(&call, FUNCTION_MPI_Start, CALLER))
        return pmpi.Start(request);
    call.error = pmpi.Start(request);
    uint64_t leave = clock_now();
    if (call.error == MPI_SUCCESS)
        record_start_of(&call, *request);
    return call_leave_at(&call, leave);
}

WRAPPER int MPI_Startall(int count, MPI_Request requests[]) {
    struct call call;
    if (!call_enter(&call, FUNCTION_MPI_Startall, CALLER))
        return pmpi.Startall(count, requests);
    call.error = pmpi.Startall(count, requests);
    uint64_t leave = clock_now();
    for (int i = 0; call.error == MPI_SUCCESS && i < count; i++)
        record_start_of(&call, requests[i]);
    return call_leave_at(&call, leave);
}

WRAPPER int MPI_Cancel(MPI_Request *request) {
    struct call call;
    if (!call_enter(&call, FUNCTION_MPI_Cancel, CALLER))
        return pmpi.Cancel(request);
    requests_mark_cancelled(*request);
    call.error = pmpi.Cancel(request);
    return call_leave(&call);
}

WRAPPER int MPI_Request_free(MPI_Request *request) {
    struct call call;
    if (!call_enter(&call, FUNCTION_MPI_Request_free, CALLER))
        return pmpi.Request_free(request);
    MPI_Request handle = *request;
    call.error = pmpi.Request_free(request);
    if (call.error == MPI_SUCCESS)
        requests_forget(handle);
    return call_leave(&call);
}
