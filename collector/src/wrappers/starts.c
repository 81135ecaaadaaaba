/* The wrappers of nonblocking and persistent sends and receives. completions.c records their completions. */
#include "wrappers/forms.h"
#include "wrappers/requests.h"

/* Ends a nonblocking send. Registers the request before any thread can complete it. */
static int leave_isend(struct call *call, MPI_Comm comm, int peer, int tag, COUNT count, MPI_Datatype datatype,
                       const MPI_Request *request) {
    if (call_passed_on(call))
        return call->error;
    uint64_t leave = clock_now();
    uint32_t comm_id = message_comm(comm);
    if (call->error == MPI_SUCCESS && peer != MPI_PROC_NULL && comm_id) {
        uint64_t id = record_request_id();
        message_sent(call, SPOOL_ISEND, comm, peer, tag, count, datatype, id);
        if (requests_complete_at_once(*request))
            record_append(leave, SPOOL_ISEND_COMPLETE, 0, 0, 0, 0, id);
        else
            requests_add(
                *request,
                (struct request){.kind = REQUEST_SEND, .active = true, .id = id, .gap = record_gap(), .comm = comm_id});
    }
    return call_leave_at(call, leave);
}

/* Ends a nonblocking receive. request_peer: the requested peer and tag, as of message_request; SPOOL_NOBODY if a probe
 * has already matched the message. */
static int leave_ireceive(struct call *call, uint32_t comm_id, uint64_t request_peer, const MPI_Request *request) {
    if (call_passed_on(call))
        return call->error;
    uint64_t leave = clock_now();
    if (call->error == MPI_SUCCESS && comm_id) {
        uint64_t id = record_request_id();
        record_append(call->enter, SPOOL_IRECV_POST, 0, comm_id, request_peer, 0, id);
        requests_add(
            *request,
            (struct request){.kind = REQUEST_RECEIVE, .active = true, .id = id, .gap = record_gap(), .comm = comm_id});
    }
    return call_leave_at(call, leave);
}

WRAPPER int MPI_FORM(Isend)(const void *buffer, COUNT count, MPI_Datatype datatype, int peer, int tag, MPI_Comm comm,
                            MPI_Request *request) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_Isend, CALLER);
    call.error = PMPI_FORM(Isend)(buffer, count, datatype, peer, tag, comm, request);
    return leave_isend(&call, comm, peer, tag, count, datatype, request);
}

WRAPPER int MPI_FORM(Ibsend)(const void *buffer, COUNT count, MPI_Datatype datatype, int peer, int tag, MPI_Comm comm,
                             MPI_Request *request) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_Ibsend, CALLER);
    call.error = PMPI_FORM(Ibsend)(buffer, count, datatype, peer, tag, comm, request);
    return leave_isend(&call, comm, peer, tag, count, datatype, request);
}

WRAPPER int MPI_FORM(Issend)(const void *buffer, COUNT count, MPI_Datatype datatype, int peer, int tag, MPI_Comm comm,
                             MPI_Request *request) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_Issend, CALLER);
    call.error = PMPI_FORM(Issend)(buffer, count, datatype, peer, tag, comm, request);
    return leave_isend(&call, comm, peer, tag, count, datatype, request);
}

WRAPPER int MPI_FORM(Irsend)(const void *buffer, COUNT count, MPI_Datatype datatype, int peer, int tag, MPI_Comm comm,
                             MPI_Request *request) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_Irsend, CALLER);
    call.error = PMPI_FORM(Irsend)(buffer, count, datatype, peer, tag, comm, request);
    return leave_isend(&call, comm, peer, tag, count, datatype, request);
}

WRAPPER int MPI_FORM(Irecv)(void *buffer, COUNT count, MPI_Datatype datatype, int peer, int tag, MPI_Comm comm,
                            MPI_Request *request) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_Irecv, CALLER);
    call.error = PMPI_FORM(Irecv)(buffer, count, datatype, peer, tag, comm, request);
    return leave_ireceive(&call, peer == MPI_PROC_NULL ? 0 : message_comm_of(&call, comm), message_request(peer, tag),
                          request);
}

WRAPPER int MPI_FORM(Imrecv)(void *buffer, COUNT count, MPI_Datatype datatype, MPI_Message *message,
                             MPI_Request *request) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_Imrecv, CALLER);
    uint32_t comm = call_passed_on(&call) ? 0 : requests_take_message(*message);
    call.error = PMPI_FORM(Imrecv)(buffer, count, datatype, message, request);
    return leave_ireceive(&call, comm, message_request(MPI_PROC_NULL, MPI_ANY_TAG), request);
}

/* Ends the call that creates a persistent request, and adds the request to the table, so that its starts are recorded.
 */
static int leave_persistent(struct call *call, enum request_kind kind, MPI_Comm comm, int peer, int tag, COUNT count,
                            MPI_Datatype datatype, const MPI_Request *request) {
    if (call_passed_on(call))
        return call->error;
    uint32_t comm_id = message_comm(comm);
    if (call->error == MPI_SUCCESS && peer != MPI_PROC_NULL && comm_id)
        requests_add(*request, (struct request){.kind = (uint8_t)kind,
                                                .persistent = true,
                                                .comm = comm_id,
                                                .peer = peer,
                                                .tag = tag,
                                                .bytes = message_bytes(count, datatype)});
    return call_leave(call);
}

WRAPPER int MPI_FORM(Send_init)(const void *buffer, COUNT count, MPI_Datatype datatype, int peer, int tag,
                                MPI_Comm comm, MPI_Request *request) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_Send_init, CALLER);
    call.error = PMPI_FORM(Send_init)(buffer, count, datatype, peer, tag, comm, request);
    return leave_persistent(&call, REQUEST_SEND, comm, peer, tag, count, datatype, request);
}

WRAPPER int MPI_FORM(Bsend_init)(const void *buffer, COUNT count, MPI_Datatype datatype, int peer, int tag,
                                 MPI_Comm comm, MPI_Request *request) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_Bsend_init, CALLER);
    call.error = PMPI_FORM(Bsend_init)(buffer, count, datatype, peer, tag, comm, request);
    return leave_persistent(&call, REQUEST_SEND, comm, peer, tag, count, datatype, request);
}

WRAPPER int MPI_FORM(Ssend_init)(const void *buffer, COUNT count, MPI_Datatype datatype, int peer, int tag,
                                 MPI_Comm comm, MPI_Request *request) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_Ssend_init, CALLER);
    call.error = PMPI_FORM(Ssend_init)(buffer, count, datatype, peer, tag, comm, request);
    return leave_persistent(&call, REQUEST_SEND, comm, peer, tag, count, datatype, request);
}

WRAPPER int MPI_FORM(Rsend_init)(const void *buffer, COUNT count, MPI_Datatype datatype, int peer, int tag,
                                 MPI_Comm comm, MPI_Request *request) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_Rsend_init, CALLER);
    call.error = PMPI_FORM(Rsend_init)(buffer, count, datatype, peer, tag, comm, request);
    return leave_persistent(&call, REQUEST_SEND, comm, peer, tag, count, datatype, request);
}

WRAPPER int MPI_FORM(Recv_init)(void *buffer, COUNT count, MPI_Datatype datatype, int peer, int tag, MPI_Comm comm,
                                MPI_Request *request) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_Recv_init, CALLER);
    call.error = PMPI_FORM(Recv_init)(buffer, count, datatype, peer, tag, comm, request);
    return leave_persistent(&call, REQUEST_RECEIVE, comm, peer, tag, count, datatype, request);
}

#if HOPSCOPE_MPI_4
/* The arguments of MPI_Isendrecv for its receive. */
struct receive {
    int source, tag;
    COUNT count;
    MPI_Datatype datatype;
};

/* Ends MPI_Isendrecv, whose send and receive have one request. Does not record a half whose peer is MPI_PROC_NULL. */
static int leave_both(struct call *call, MPI_Comm comm, int destination, int send_tag, COUNT count,
                      MPI_Datatype datatype, struct receive receive, const MPI_Request *handle) {
    if (call_passed_on(call))
        return call->error;
    uint64_t leave = clock_now();
    uint32_t comm_id = message_comm(comm);
    if (call->error == MPI_SUCCESS && comm_id) {
        struct request request = {.kind = REQUEST_BOTH, .active = true, .gap = record_gap(), .comm = comm_id};
        if (destination != MPI_PROC_NULL) {
            request.id = record_request_id();
            message_sent(call, SPOOL_ISEND, comm, destination, send_tag, count, datatype, request.id);
        }
        if (receive.source != MPI_PROC_NULL) {
            request.receive_id = record_request_id();
            request.without_wildcards = receive.source != MPI_ANY_SOURCE && receive.tag != MPI_ANY_TAG;
            request.peer = receive.source;
            request.tag = receive.tag;
            request.bytes = (uint64_t)receive.count * type_bytes(receive.datatype);
            record_append(call->enter, SPOOL_IRECV_POST, 0, comm_id, message_request(receive.source, receive.tag), 0,
                          request.receive_id);
        }
        requests_add(*handle, request);
    }
    return call_leave_at(call, leave);
}

WRAPPER int MPI_FORM(Isendrecv)(const void *send, COUNT send_count, MPI_Datatype send_type, int destination,
                                int send_tag, void *receive, COUNT receive_count, MPI_Datatype receive_type, int source,
                                int receive_tag, MPI_Comm comm, MPI_Request *request) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_Isendrecv, CALLER);
    call.error = PMPI_FORM(Isendrecv)(send, send_count, send_type, destination, send_tag, receive, receive_count,
                                      receive_type, source, receive_tag, comm, request);
    return leave_both(&call, comm, destination, send_tag, send_count, send_type,
                      (struct receive){source, receive_tag, receive_count, receive_type}, request);
}

WRAPPER int MPI_FORM(Isendrecv_replace)(void *buffer, COUNT count, MPI_Datatype datatype, int destination, int send_tag,
                                        int source, int receive_tag, MPI_Comm comm, MPI_Request *request) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_Isendrecv_replace, CALLER);
    call.error = PMPI_FORM(Isendrecv_replace)(buffer, count, datatype, destination, send_tag, source, receive_tag, comm,
                                              request);
    return leave_both(&call, comm, destination, send_tag, count, datatype,
                      (struct receive){source, receive_tag, count, datatype}, request);
}
#endif
