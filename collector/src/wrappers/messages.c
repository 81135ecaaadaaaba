/* Blocking sends and receives. */
#include "wrappers/message.h"
#include "wrappers/requests.h"

void message_sent(const struct call *call, enum spool_kind kind, MPI_Comm comm, int peer, int tag, int count,
                  MPI_Datatype datatype, uint64_t id) {
    uint32_t comm_id = message_comm(comm);
    if (call->error == MPI_SUCCESS && peer != MPI_PROC_NULL && comm_id)
        record_append(call->enter, kind, 0, comm_id, message_peer(peer, tag), (uint64_t)count * type_bytes(datatype),
                      id);
}

void message_received(uint64_t ticks, enum spool_kind kind, uint32_t comm, const MPI_Status *status, uint64_t id) {
    MPI_Count bytes = 0;
    if (!comm || status->MPI_SOURCE < 0)
        return;
    if (pmpi.Get_elements_x(status, MPI_BYTE, &bytes) != MPI_SUCCESS || bytes < 0)
        bytes = 0;
    record_append(ticks, kind, 0, comm, message_peer(status->MPI_SOURCE, status->MPI_TAG), (uint64_t)bytes, id);
}

static int leave_send(struct call *call, MPI_Comm comm, int peer, int tag, int count, MPI_Datatype datatype) {
    uint64_t leave = clock_now();
    message_sent(call, SPOOL_SEND, comm, peer, tag, count, datatype, 0);
    return call_leave_at(call, leave);
}

static int leave_receive(struct call *call, uint32_t comm, const MPI_Status *status) {
    uint64_t leave = clock_now();
    if (call->error == MPI_SUCCESS)
        message_received(leave, SPOOL_RECV, comm, status, 0);
    return call_leave_at(call, leave);
}

WRAPPER int MPI_Send(const void *buffer, int count, MPI_Datatype datatype, int peer, int tag, MPI_Comm comm) {
    struct call call;
    if (!call_enter(&call, FUNCTION_MPI_Send, CALLER))
        return pmpi.Send(buffer, count, datatype, peer, tag, comm);
    call.error = pmpi.Send(buffer, count, datatype, peer, tag, comm);
    return leave_send(&call, comm, peer, tag, count, datatype);
}

WRAPPER int MPI_Bsend(const void *buffer, int count, MPI_Datatype datatype, int peer, int tag, MPI_Comm comm) {
    struct call call;
    if (!call_enter(&call, FUNCTION_MPI_Bsend, CALLER))
        return pmpi.Bsend(buffer, count, datatype, peer, tag, comm);
    call.error = pmpi.Bsend(buffer, count, datatype, peer, tag, comm);
    return leave_send(&call, comm, peer, tag, count, datatype);
}

WRAPPER int MPI_Ssend(const void *buffer, int count, MPI_Datatype datatype, int peer, int tag, MPI_Comm comm) {
    struct call call;
    if (!call_enter(&call, FUNCTION_MPI_Ssend, CALLER))
        return pmpi.Ssend(buffer, count, datatype, peer, tag, comm);
    call.error = pmpi.Ssend(buffer, count, datatype, peer, tag, comm);
    return leave_send(&call, comm, peer, tag, count, datatype);
}

WRAPPER int MPI_Rsend(const void *buffer, int count, MPI_Datatype datatype, int peer, int tag, MPI_Comm comm) {
    struct call call;
    if (!call_enter(&call, FUNCTION_MPI_Rsend, CALLER))
        return pmpi.Rsend(buffer, count, datatype, peer, tag, comm);
    call.error = pmpi.Rsend(buffer, count, datatype, peer, tag, comm);
    return leave_send(&call, comm, peer, tag, count, datatype);
}

WRAPPER int MPI_Recv(void *buffer, int count, MPI_Datatype datatype, int peer, int tag, MPI_Comm comm,
                     MPI_Status *status) {
    struct call call;
    if (!call_enter(&call, FUNCTION_MPI_Recv, CALLER))
        return pmpi.Recv(buffer, count, datatype, peer, tag, comm, status);
    MPI_Status own, *known = status == MPI_STATUS_IGNORE ? &own : status;
    call.error = pmpi.Recv(buffer, count, datatype, peer, tag, comm, known);
    return leave_receive(&call, message_comm(comm), known);
}

WRAPPER int MPI_Mrecv(void *buffer, int count, MPI_Datatype datatype, MPI_Message *message, MPI_Status *status) {
    struct call call;
    if (!call_enter(&call, FUNCTION_MPI_Mrecv, CALLER))
        return pmpi.Mrecv(buffer, count, datatype, message, status);
    MPI_Status own, *known = status == MPI_STATUS_IGNORE ? &own : status;
    uint32_t comm = requests_take_message(*message);
    call.error = pmpi.Mrecv(buffer, count, datatype, message, known);
    return leave_receive(&call, comm, known);
}

/* The send at the enter, the receive at the leave. */
static int leave_both(struct call *call, MPI_Comm comm, int peer, int tag, int count, MPI_Datatype datatype,
                      const MPI_Status *status) {
    uint64_t leave = clock_now();
    message_sent(call, SPOOL_SEND, comm, peer, tag, count, datatype, 0);
    if (call->error == MPI_SUCCESS)
        message_received(leave, SPOOL_RECV, message_comm(comm), status, 0);
    return call_leave_at(call, leave);
}

WRAPPER int MPI_Sendrecv(const void *send, int send_count, MPI_Datatype send_type, int to, int send_tag, void *receive,
                         int receive_count, MPI_Datatype receive_type, int from, int receive_tag, MPI_Comm comm,
                         MPI_Status *status) {
    struct call call;
    if (!call_enter(&call, FUNCTION_MPI_Sendrecv, CALLER))
        return pmpi.Sendrecv(send, send_count, send_type, to, send_tag, receive, receive_count, receive_type, from,
                             receive_tag, comm, status);
    MPI_Status own, *known = status == MPI_STATUS_IGNORE ? &own : status;
    call.error = pmpi.Sendrecv(send, send_count, send_type, to, send_tag, receive, receive_count, receive_type, from,
                               receive_tag, comm, known);
    return leave_both(&call, comm, to, send_tag, send_count, send_type, known);
}

WRAPPER int MPI_Sendrecv_replace(void *buffer, int count, MPI_Datatype datatype, int to, int send_tag, int from,
                                 int receive_tag, MPI_Comm comm, MPI_Status *status) {
    struct call call;
    if (!call_enter(&call, FUNCTION_MPI_Sendrecv_replace, CALLER))
        return pmpi.Sendrecv_replace(buffer, count, datatype, to, send_tag, from, receive_tag, comm, status);
    MPI_Status own, *known = status == MPI_STATUS_IGNORE ? &own : status;
    call.error = pmpi.Sendrecv_replace(buffer, count, datatype, to, send_tag, from, receive_tag, comm, known);
    return leave_both(&call, comm, to, send_tag, count, datatype, known);
}
