/* Probes, and what all polling calls share. */
#include "wrappers/completions.h"
#include "wrappers/message.h"
#include "wrappers/requests.h"

/* Does this call go on with the polls before it? Their leave must still be the last record of this thread. */
static bool goes_on(const struct call *call) {
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
    if (goes_on(call)) {
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
    if (goes_on(call))
        record_take_back();
    else
        call_record_enter(call, SPOOL_ENTER_BARE, 0, 0, 0);
    call_thread.poll_leave = NULL;
    return leave;
}

WRAPPER int MPI_Probe(int peer, int tag, MPI_Comm comm, MPI_Status *status) {
    struct call call;
    if (!message_enter(&call, FUNCTION_MPI_Probe, CALLER, comm, message_asked(peer, tag), 0))
        return pmpi.Probe(peer, tag, comm, status);
    call.error = pmpi.Probe(peer, tag, comm, status);
    return call_leave(&call);
}

WRAPPER int MPI_Iprobe(int peer, int tag, MPI_Comm comm, int *flag, MPI_Status *status) {
    struct call call;
    if (!call_open(&call, FUNCTION_MPI_Iprobe, CALLER))
        return pmpi.Iprobe(peer, tag, comm, flag, status);
    call.error = pmpi.Iprobe(peer, tag, comm, flag, status);
    if (call.error == MPI_SUCCESS && !*flag)
        return poll_failed(&call);
    return call_leave_at(&call, poll_succeeded(&call));
}

WRAPPER int MPI_Mprobe(int peer, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status) {
    struct call call;
    if (!message_enter(&call, FUNCTION_MPI_Mprobe, CALLER, comm, message_asked(peer, tag), 0))
        return pmpi.Mprobe(peer, tag, comm, message, status);
    call.error = pmpi.Mprobe(peer, tag, comm, message, status);
    if (call.error == MPI_SUCCESS && *message != MPI_MESSAGE_NO_PROC)
        requests_add_message(*message, message_comm(comm));
    return call_leave(&call);
}

WRAPPER int MPI_Improbe(int peer, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status) {
    struct call call;
    if (!call_open(&call, FUNCTION_MPI_Improbe, CALLER))
        return pmpi.Improbe(peer, tag, comm, flag, message, status);
    call.error = pmpi.Improbe(peer, tag, comm, flag, message, status);
    if (call.error == MPI_SUCCESS && !*flag)
        return poll_failed(&call);
    uint64_t leave = poll_succeeded(&call);
    if (call.error == MPI_SUCCESS && *message != MPI_MESSAGE_NO_PROC)
        requests_add_message(*message, message_comm(comm));
    return call_leave_at(&call, leave);
}
