/* Probes, and the functions that all polling calls share. */
#include "wrappers/completions.h"
#include "wrappers/message.h"
#include "wrappers/requests.h"

/* True if this call continues the previous polls: their leave must still be this thread's last record. */
static bool continues_poll(const struct call *call) {
    static uint64_t gap;
    if (!gap)
        gap = clock_ticks_of_ns(POLL_GAP_NS);
    const struct call_thread *t = &call_thread;
    return t->poll_leave && t->poll_leave == record_last() && t->poll_chunk == record_cursor.changes &&
           t->poll_function == call->function && t->poll_site == call->site &&
           call->enter - t->poll_leave->ticks <= gap;
}

int poll_failed(struct call *call) {
    struct call_thread *t = &call_thread;
    uint64_t leave = clock_now();
    if (continues_poll(call)) {
        __atomic_store_n(&t->poll_leave->ticks, leave, __ATOMIC_RELAXED);
    } else {
        call_record_enter(call, SPOOL_ENTER_BARE, 0, 0, 0);
        record_append(leave, SPOOL_LEAVE, (uint16_t)call->function, 0, 0, 0, 0);
        t->poll_leave = record_last();
        /* At the end of a chunk other records follow it. */
        if (t->poll_leave && t->poll_leave->kind != SPOOL_LEAVE)
            t->poll_leave = NULL;
        t->poll_chunk = record_cursor.changes;
        t->poll_function = call->function;
        t->poll_site = call->site;
    }
    call_close();
    return call->error;
}

uint64_t poll_succeeded(struct call *call) {
    uint64_t leave = clock_now();
    if (continues_poll(call))
        record_take_back();
    else
        call_record_enter(call, SPOOL_ENTER_BARE, 0, 0, 0);
    call_thread.poll_leave = NULL;
    return leave;
}

int poll_leave(struct call *call, const int *flag) {
    if (call_passed_on(call))
        return call->error;
    if (call->error == MPI_SUCCESS && *flag <= 0)
        return poll_failed(call);
    return call_leave_at(call, poll_succeeded(call));
}

/* Remembers the communicator of a message that a probe matched, until the message is received. */
static void remember_message(const struct call *call, MPI_Comm comm, const MPI_Message *message) {
    if (call->error == MPI_SUCCESS && !call_passed_on(call) && *message != MPI_MESSAGE_NO_PROC)
        requests_add_message(*message, message_comm(comm));
}

WRAPPER int MPI_Probe(int peer, int tag, MPI_Comm comm, MPI_Status *status) {
    struct call call;
    message_enter(&call, FUNCTION_MPI_Probe, CALLER, comm, message_request(peer, tag), 0);
    call.error = pmpi.Probe(peer, tag, comm, status);
    return call_leave(&call);
}

WRAPPER int MPI_Iprobe(int peer, int tag, MPI_Comm comm, int *flag, MPI_Status *status) {
    struct call call;
    call_open(&call, FUNCTION_MPI_Iprobe, CALLER);
    call.error = pmpi.Iprobe(peer, tag, comm, flag, status);
    return poll_leave(&call, flag);
}

WRAPPER int MPI_Mprobe(int peer, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status) {
    struct call call;
    message_enter(&call, FUNCTION_MPI_Mprobe, CALLER, comm, message_request(peer, tag), 0);
    call.error = pmpi.Mprobe(peer, tag, comm, message, status);
    remember_message(&call, comm, message);
    return call_leave(&call);
}

WRAPPER int MPI_Improbe(int peer, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status) {
    struct call call;
    call_open(&call, FUNCTION_MPI_Improbe, CALLER);
    call.error = pmpi.Improbe(peer, tag, comm, flag, message, status);
    int error = poll_leave(&call, flag);
    if (error == MPI_SUCCESS && *flag)
        remember_message(&call, comm, message);
    return error;
}
