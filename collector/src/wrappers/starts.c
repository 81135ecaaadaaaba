/* Nonblocking and persistent sends and receives: what begins here is completed in completions.c. */
#include "wrappers/message.h"
#include "wrappers/requests.h"

/* After a nonblocking send. The request is known before any thread can complete it. */
static int leave_isend(struct call *call, MPI_Comm comm, int peer, int tag, int count, MPI_Datatype datatype,
                       MPI_Request handle) {
    uint64_t leave = clock_now();
    uint32_t comm_id = message_comm(comm);
    if (call->error == MPI_SUCCESS && peer != MPI_PROC_NULL && comm_id) {
        uint64_t id = record_request_id();
        message_sent(call, SPOOL_ISEND, comm, peer, tag, count, datatype, id);
        if (requests_complete_at_once(handle))
            record_append(leave, SPOOL_ISEND_COMPLETE, 0, 0, 0, 0, id);
        else
            requests_add(handle, (struct request){.kind = REQUEST_SEND, .active = true, .id = id, .comm = comm_id});
    }
    return call_leave_at(call, leave);
}

static int leave_ireceive(struct call *call, uint32_t comm_id, MPI_Request handle) {
    uint64_t leave = clock_now();
    if (call->error == MPI_SUCCESS && comm_id) {
        uint64_t id = record_request_id();
        record_append(call->enter, SPOOL_IRECV_POST, 0, 0, 0, 0, id);
        requests_add(handle, (struct request){.kind = REQUEST_RECEIVE, .active = true, .id = id, .comm = comm_id});
    }
    return call_leave_at(call, leave);
}

WRAPPER int MPI_Isend(const void *buffer, int count, MPI_Datatype datatype, int peer, int tag, MPI_Comm comm,
                      MPI_Request *request) {
    struct call call;
    if (!call_enter(&call, FUNCTION_MPI_Isend, CALLER))
        return pmpi.Isend(buffer, count, datatype, peer, tag, comm, request);
    call.error = pmpi.Isend(buffer, count, datatype, peer, tag, comm, request);
    return leave_isend(&call, comm, peer, tag, count, datatype, *request);
}

WRAPPER int MPI_Ibsend(const void *buffer, int count, MPI_Datatype datatype, int peer, int tag, MPI_Comm comm,
                       MPI_Request *request) {
    struct call call;
    if (!call_enter(&call, FUNCTION_MPI_Ibsend, CALLER))
        return pmpi.Ibsend(buffer, count, datatype, peer, tag, comm, request);
    call.error = pmpi.Ibsend(buffer, count, datatype, peer, tag, comm, request);
    return leave_isend(&call, comm, peer, tag, count, datatype, *request);
}

WRAPPER int MPI_Issend(const void *buffer, int count, MPI_Datatype datatype, int peer, int tag, MPI_Comm comm,
                       MPI_Request *request) {
    struct call call;
    if (!call_enter(&call, FUNCTION_MPI_Issend, CALLER))
        return pmpi.Issend(buffer, count, datatype, peer, tag, comm, request);
    call.error = pmpi.Issend(buffer, count, datatype, peer, tag, comm, request);
    return leave_isend(&call, comm, peer, tag, count, datatype, *request);
}

WRAPPER int MPI_Irsend(const void *buffer, int count, MPI_Datatype datatype, int peer, int tag, MPI_Comm comm,
                       MPI_Request *request) {
    struct call call;
    if (!call_enter(&call, FUNCTION_MPI_Irsend, CALLER))
        return pmpi.Irsend(buffer, count, datatype, peer, tag, comm, request);
    call.error = pmpi.Irsend(buffer, count, datatype, peer, tag, comm, request);
    return leave_isend(&call, comm, peer, tag, count, datatype, *request);
}

WRAPPER int MPI_Irecv(void *buffer, int count, MPI_Datatype datatype, int peer, int tag, MPI_Comm comm,
                      MPI_Request *request) {
    struct call call;
    if (!call_enter(&call, FUNCTION_MPI_Irecv, CALLER))
        return pmpi.Irecv(buffer, count, datatype, peer, tag, comm, request);
    call.error = pmpi.Irecv(buffer, count, datatype, peer, tag, comm, request);
    return leave_ireceive(&call, peer == MPI_PROC_NULL ? 0 : message_comm(comm), *request);
}

WRAPPER int MPI_Imrecv(void *buffer, int count, MPI_Datatype datatype, MPI_Message *message, MPI_Request *request) {
    struct call call;
    if (!call_enter(&call, FUNCTION_MPI_Imrecv, CALLER))
        return pmpi.Imrecv(buffer, count, datatype, message, request);
    uint32_t comm = requests_take_message(*message);
    call.error = pmpi.Imrecv(buffer, count, datatype, message, request);
    return leave_ireceive(&call, comm, *request);
}

/* After a persistent request was made: each start will record it. */
static int leave_persistent(struct call *call, enum request_kind kind, MPI_Comm comm, int peer, int tag, int count,
                            MPI_Datatype datatype, MPI_Request handle) {
    uint32_t comm_id = message_comm(comm);
    if (call->error == MPI_SUCCESS && peer != MPI_PROC_NULL && comm_id)
        requests_add(handle, (struct request){.kind = (uint8_t)kind,
                                              .persistent = true,
                                              .comm = comm_id,
                                              .peer = peer,
                                              .tag = tag,
                                              .bytes = (uint64_t)count * type_bytes(datatype)});
    return call_leave(call);
}

WRAPPER int MPI_Send_init(const void *buffer, int count, MPI_Datatype datatype, int peer, int tag, MPI_Comm comm,
                          MPI_Request *request) {
    struct call call;
    if (!call_enter(&call, FUNCTION_MPI_Send_init, CALLER))
        return pmpi.Send_init(buffer, count, datatype, peer, tag, comm, request);
    call.error = pmpi.Send_init(buffer, count, datatype, peer, tag, comm, request);
    return leave_persistent(&call, REQUEST_SEND, comm, peer, tag, count, datatype, *request);
}

WRAPPER int MPI_Bsend_init(const void *buffer, int count, MPI_Datatype datatype, int peer, int tag, MPI_Comm comm,
                           MPI_Request *request) {
    struct call call;
    if (!call_enter(&call, FUNCTION_MPI_Bsend_init, CALLER))
        return pmpi.Bsend_init(buffer, count, datatype, peer, tag, comm, request);
    call.error = pmpi.Bsend_init(buffer, count, datatype, peer, tag, comm, request);
    return leave_persistent(&call, REQUEST_SEND, comm, peer, tag, count, datatype, *request);
}

WRAPPER int MPI_Ssend_init(const void *buffer, int count, MPI_Datatype datatype, int peer, int tag, MPI_Comm comm,
                           MPI_Request *request) {
    struct call call;
    if (!call_enter(&call, FUNCTION_MPI_Ssend_init, CALLER))
        return pmpi.Ssend_init(buffer, count, datatype, peer, tag, comm, request);
    call.error = pmpi.Ssend_init(buffer, count, datatype, peer, tag, comm, request);
    return leave_persistent(&call, REQUEST_SEND, comm, peer, tag, count, datatype, *request);
}

WRAPPER int MPI_Rsend_init(const void *buffer, int count, MPI_Datatype datatype, int peer, int tag, MPI_Comm comm,
                           MPI_Request *request) {
    struct call call;
    if (!call_enter(&call, FUNCTION_MPI_Rsend_init, CALLER))
        return pmpi.Rsend_init(buffer, count, datatype, peer, tag, comm, request);
    call.error = pmpi.Rsend_init(buffer, count, datatype, peer, tag, comm, request);
    return leave_persistent(&call, REQUEST_SEND, comm, peer, tag, count, datatype, *request);
}

WRAPPER int MPI_Recv_init(void *buffer, int count, MPI_Datatype datatype, int peer, int tag, MPI_Comm comm,
                          MPI_Request *request) {
    struct call call;
    if (!call_enter(&call, FUNCTION_MPI_Recv_init, CALLER))
        return pmpi.Recv_init(buffer, count, datatype, peer, tag, comm, request);
    call.error = pmpi.Recv_init(buffer, count, datatype, peer, tag, comm, request);
    return leave_persistent(&call, REQUEST_RECEIVE, comm, peer, tag, count, datatype, *request);
}

static void record_start_of(const struct call *call, MPI_Request handle) {
    struct request request;
    if (!requests_activate(handle, record_request_id(), &request))
        return;
    if (request.kind == REQUEST_SEND)
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
