/* The wrappers of probes, and the functions of completions.h that all polls use. */
#include "wrappers/completions.h"
#include "wrappers/message.h"
#include "wrappers/requests.h"

/* True if since its last unsuccessful poll the thread has recorded nothing but the MPI library's hops in polls. */
static bool polled_last(void) {
    struct call_thread *t = &call_thread;
    if (!t->poll_leave || t->poll_chunk != record_cursor.changes)
        return false;
    struct spool_record *last = record_last(), *record = last;
    while (record > t->poll_last && record->kind >= SPOOL_HOP_ISEND && record->kind <= SPOOL_HOP_IRECV)
        record--;
    if (record != t->poll_last)
        return false;
    t->poll_last = last;
    return true;
}

/* Returns the ticks that the thread has slept since the pair's last poll, and resets them. 0 if another record lies in
 * between. */
static uint64_t take_slept(void) {
    uint64_t slept = polled_last() ? call_thread.poll_slept : 0;
    call_thread.poll_slept = 0;
    return slept;
}

/* True if the pause between the pair's last poll and this call counts as polling. */
static bool continues_poll(const struct call *call, uint64_t slept) {
    static uint64_t gap;
    if (!gap)
        gap = clock_ticks_of_ns(POLL_GAP_NS);
    uint64_t awake = call->enter - call_thread.poll_leave->ticks - slept;
    return awake <= gap || awake <= slept / POLL_AWAKE_SHARE;
}

/* True if this call may share the pair although it follows after a longer pause. */
static bool is_in_window(const struct call *call) {
    static uint64_t window;
    if (!window)
        window = clock_ticks_of_ns(POLL_WINDOW_NS);
    return call->enter - call_thread.poll_window <= window;
}

static void store_ticks(struct spool_record *record, uint64_t ticks) {
    __atomic_store_n(&record->ticks, ticks, __ATOMIC_RELEASE);
}

/* Records the first poll of a pair. The pair begins earlier than the poll by the time that the thread has slept before
 * it. */
static void begin_pair(struct call *call, uint64_t slept, uint64_t leave) {
    struct call_thread *t = &call_thread;
    call->enter -= slept;
    call_record_enter(call, SPOOL_ENTER_BARE, 0, 0, 0);
    record_append(leave, SPOOL_LEAVE, (uint16_t)call->function, 0, 0, 0, 0);
    t->poll_leave = record_last();
    /* If a chunk ended here, the two records of the pair may not lie next to each other. Then no poll can update them.
     */
    if (t->poll_leave && (t->poll_leave->kind != SPOOL_LEAVE || t->poll_leave[-1].kind != SPOOL_ENTER_BARE))
        t->poll_leave = NULL;
    t->poll_last = t->poll_leave;
    t->poll_chunk = record_cursor.changes;
    t->poll_window = t->poll_begin = call->enter;
}

int poll_failed(struct call *call) {
    struct call_thread *t = &call_thread;
    uint64_t leave = clock_now(), slept = take_slept(), in_mpi = leave - call->enter + slept;
    if (!polled_last()) {
        begin_pair(call, 0, leave);
    } else if (continues_poll(call, slept)) {
        in_mpi = leave - t->poll_leave->ticks;
        store_ticks(t->poll_leave, leave);
    } else if (is_in_window(call)) {
        uint64_t polled = t->poll_leave->ticks - t->poll_leave[-1].ticks + slept;
        store_ticks(t->poll_leave, leave);
        store_ticks(&t->poll_leave[-1], call->enter - polled);
        t->poll_begin = call->enter - slept;
    } else {
        begin_pair(call, slept, leave);
    }
    call_close_at(leave, in_mpi);
    return call->error;
}

/* Makes the polls since the last longer pause part of this successful call, and takes them out of the pair. */
static void join_polls(const struct call *call) {
    const struct call_thread *t = &call_thread;
    struct spool_record *enter = &t->poll_leave[-1];
    if (enter->ticks < t->poll_begin) {
        store_ticks(t->poll_leave, t->poll_begin);
        whole_call_begin();
        record_append(t->poll_begin, SPOOL_ENTER_BARE, (uint16_t)call->function, 0, call->site, 0, 0);
    } else {
        if (t->poll_leave == record_last())
            record_take_back();
        else /* hops follow the pair, so its records cannot be removed; an empty record replaces them */
            __atomic_store_n(&t->poll_leave->kind, (uint16_t)SPOOL_SKIPPED, __ATOMIC_RELEASE);
        enter->region = (uint16_t)call->function;
        enter->a = call->site;
    }
}

uint64_t poll_succeeded(struct call *call) {
    uint64_t leave = clock_now(), slept = take_slept();
    if (polled_last() && continues_poll(call, slept)) {
        core_sampler.in_mpi += call->enter - call_thread.poll_leave->ticks;
        join_polls(call);
    } else {
        call->enter -= slept;
        call_record_enter(call, SPOOL_ENTER_BARE, 0, 0, 0);
    }
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
