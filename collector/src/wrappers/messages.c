/* The wrappers of blocking sends and receives. */
#include "wrappers/forms.h"
#include "wrappers/requests.h"

static int leave_send(struct call *call, MPI_Comm comm, int peer, int tag, COUNT count, MPI_Datatype datatype) {
    if (call_passed_on(call))
        return call->error;
    uint64_t leave = clock_now();
    message_sent(call, SPOOL_SEND, comm, peer, tag, count, datatype, 0);
    return call_leave_at(call, leave);
}

static int leave_receive(struct call *call, uint32_t comm, const MPI_Status *status) {
    if (call_passed_on(call))
        return call->error;
    uint64_t leave = clock_now();
    if (call->error == MPI_SUCCESS)
        message_received(leave, comm, status);
    return call_leave_at(call, leave);
}

WRAPPER int MPI_FORM(Send)(const void *buffer, COUNT count, MPI_Datatype datatype, int peer, int tag, MPI_Comm comm) {
    struct call call;
    message_enter(&call, FUNCTION_MPI_Send, CALLER, comm, message_request(peer, tag), 0);
    call.error = PMPI_FORM(Send)(buffer, count, datatype, peer, tag, comm);
    return leave_send(&call, comm, peer, tag, count, datatype);
}

WRAPPER int MPI_FORM(Bsend)(const void *buffer, COUNT count, MPI_Datatype datatype, int peer, int tag, MPI_Comm comm) {
    struct call call;
    message_enter(&call, FUNCTION_MPI_Bsend, CALLER, comm, message_request(peer, tag), 0);
    call.error = PMPI_FORM(Bsend)(buffer, count, datatype, peer, tag, comm);
    return leave_send(&call, comm, peer, tag, count, datatype);
}

WRAPPER int MPI_FORM(Ssend)(const void *buffer, COUNT count, MPI_Datatype datatype, int peer, int tag, MPI_Comm comm) {
    struct call call;
    message_enter(&call, FUNCTION_MPI_Ssend, CALLER, comm, message_request(peer, tag), 0);
    call.error = PMPI_FORM(Ssend)(buffer, count, datatype, peer, tag, comm);
    return leave_send(&call, comm, peer, tag, count, datatype);
}

WRAPPER int MPI_FORM(Rsend)(const void *buffer, COUNT count, MPI_Datatype datatype, int peer, int tag, MPI_Comm comm) {
    struct call call;
    message_enter(&call, FUNCTION_MPI_Rsend, CALLER, comm, message_request(peer, tag), 0);
    call.error = PMPI_FORM(Rsend)(buffer, count, datatype, peer, tag, comm);
    return leave_send(&call, comm, peer, tag, count, datatype);
}

WRAPPER int MPI_FORM(Recv)(void *buffer, COUNT count, MPI_Datatype datatype, int peer, int tag, MPI_Comm comm,
                           MPI_Status *status) {
    struct call call;
    message_enter(&call, FUNCTION_MPI_Recv, CALLER, comm, message_request(peer, tag), 0);
    MPI_Status own_status, *status_out = message_status(&call, status, &own_status);
    call.error = PMPI_FORM(Recv)(buffer, count, datatype, peer, tag, comm, status_out);
    return leave_receive(&call, message_comm_of(&call, comm), status_out);
}

WRAPPER int MPI_FORM(Mrecv)(void *buffer, COUNT count, MPI_Datatype datatype, MPI_Message *message,
                            MPI_Status *status) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_Mrecv, CALLER);
    MPI_Status own_status, *status_out = message_status(&call, status, &own_status);
    uint32_t comm = call_passed_on(&call) ? 0 : requests_take_message(*message);
    call.error = PMPI_FORM(Mrecv)(buffer, count, datatype, message, status_out);
    return leave_receive(&call, comm, status_out);
}

/* Ends an MPI_Sendrecv: records its send with the time of the enter, and its receive with that of the leave. */
static int leave_both(struct call *call, MPI_Comm comm, int peer, int tag, COUNT count, MPI_Datatype datatype,
                      const MPI_Status *status) {
    if (call_passed_on(call))
        return call->error;
    uint64_t leave = clock_now();
    message_sent(call, SPOOL_SEND, comm, peer, tag, count, datatype, 0);
    if (call->error == MPI_SUCCESS)
        message_received(leave, message_comm(comm), status);
    return call_leave_at(call, leave);
}

WRAPPER int MPI_FORM(Sendrecv)(const void *send, COUNT send_count, MPI_Datatype send_type, int destination,
                               int send_tag, void *receive, COUNT receive_count, MPI_Datatype receive_type, int source,
                               int receive_tag, MPI_Comm comm, MPI_Status *status) {
    struct call call;
    message_enter(&call, FUNCTION_MPI_Sendrecv, CALLER, comm, message_request(destination, send_tag),
                  message_request(source, receive_tag));
    MPI_Status own_status, *status_out = message_status(&call, status, &own_status);
    call.error = PMPI_FORM(Sendrecv)(send, send_count, send_type, destination, send_tag, receive, receive_count,
                                     receive_type, source, receive_tag, comm, status_out);
    return leave_both(&call, comm, destination, send_tag, send_count, send_type, status_out);
}

WRAPPER int MPI_FORM(Sendrecv_replace)(void *buffer, COUNT count, MPI_Datatype datatype, int destination, int send_tag,
                                       int source, int receive_tag, MPI_Comm comm, MPI_Status *status) {
    struct call call;
    message_enter(&call, FUNCTION_MPI_Sendrecv_replace, CALLER, comm, message_request(destination, send_tag),
                  message_request(source, receive_tag));
    MPI_Status own_status, *status_out = message_status(&call, status, &own_status);
    call.error = PMPI_FORM(Sendrecv_replace)(buffer, count, datatype, destination, send_tag, source, receive_tag, comm,
                                             status_out);
    return leave_both(&call, comm, destination, send_tag, count, datatype, status_out);
}
