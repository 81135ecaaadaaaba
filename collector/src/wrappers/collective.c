#include "wrappers/collective.h"

#include <errno.h>

#include "native/shared/native.h"
#include "run/run.h"
#include "wrappers/message.h"

uint32_t collective_refusal;

uint64_t collective_root(int root) {
    if (root >= 0)
        return (uint64_t)root;
    if (root == MPI_ROOT)
        return SPOOL_ROOT_SELF;
    return root == MPI_PROC_NULL ? SPOOL_ROOT_THIS_GROUP : SPOOL_ROOT_NONE;
}

void collective_enter(struct call *call, enum mpi_function function, const void *caller, MPI_Comm comm, int root) {
    if (!call_open(call, function, caller)) {
        call->comm = NULL;
        return;
    }
    call->reason = 0;
    call->by_engine = false;
    call->comm = comm_find(comm);
    uint32_t id = 0;
    call->seq = 0;
    if (call->comm) {
        /* Count every collective, even if it is not recorded or the engine does not run it: all members must have the
         * same count. */
        call->seq = call->comm->next_seq++;
        id = call->comm->id;
    }
    call->root = collective_root(root);
    if (__builtin_expect(call->enter == 0, 0)) /* the enter was not recorded */
        return;
    if (__builtin_expect(whole_call_fits(call->seq), 1))
        call_record_enter(call, SPOOL_ENTER_COLLECTIVE, id, call->seq, (uint32_t)call->root);
    else
        call_record_enter(call, SPOOL_ENTER, id, call->seq, call->root);
    native_begin(call->comm, call->seq);
}

#ifdef HOPSCOPE_HAVE_ENGINE
static bool run_engine(struct call *call, struct engine_call *engine_call) {
    if (!call->comm || call->comm->foreign) {
        call->reason = record_define_reason("communicator with processes of another job or of unknown origin");
        return false;
    }
    engine_call->function = (int)call->function;
    engine_call->comm = call->comm;
    engine_call->seq = call->seq;
    return engine_run(engine_call, &call->error, &call->reason);
}
#endif

bool collective_by_engine(struct call *call, struct engine_call *engine_call) {
#ifdef HOPSCOPE_HAVE_ENGINE
    if (__builtin_expect(engine_serves((int)call->function), 0)) {
        int saved_errno = errno;
        native_end();
        call->by_engine = run_engine(call, engine_call);
        if (!call->by_engine)
            native_begin(call->comm, call->seq);
        errno = saved_errno;
        return call->by_engine;
    }
#else
    (void)engine_call;
#endif
    if (__builtin_expect(collective_refusal != 0, 0))
        call->reason = collective_refusal;
    return false;
}

bool collective_refused(const struct call *call) {
    int class = MPI_ERR_OTHER;
    pmpi.Error_class(call->error, &class);
    /* The library detects these errors before it sends a message. Any other error happens when the collective has
     * begun. */
    return class == MPI_ERR_COMM || class == MPI_ERR_COUNT || class == MPI_ERR_TYPE || class == MPI_ERR_OP ||
           class == MPI_ERR_ROOT || class == MPI_ERR_BUFFER || class == MPI_ERR_ARG || class == MPI_ERR_REQUEST ||
           class == MPI_ERR_TOPOLOGY;
}

bool collective_has_messages(enum mpi_function function, uint64_t sent, uint64_t received) {
    return sent > 0 || received > 0 || function == FUNCTION_MPI_Barrier || function == FUNCTION_MPI_Ibarrier ||
           function == FUNCTION_MPI_Barrier_init;
}

int collective_leave(struct call *call, uint64_t sent, uint64_t received) {
    if (call_passed_on(call))
        return call->error;
    if (__builtin_expect(native_end(), 0) && !call->by_engine) {
        bool has_messages = collective_has_messages(call->function, sent, received);
        uint32_t reason = native_reason(call->comm, has_messages && !call->reason);
        call->reason = reason ? reason : call->reason;
    }
    if (__builtin_expect(call->error != MPI_SUCCESS, 0) && collective_refused(call)) {
        if (call->comm)
            call->comm->next_seq = call->seq;
        return call_leave_refused(call, clock_now());
    }
    uint64_t leave = call->enter;
    if (__builtin_expect(record_here(), 1)) {
        leave = clock_now();
        uint32_t algorithm = native_algorithm(call->function);
        bool is_plain = !call->reason && !call->by_engine && !algorithm;
        if (!is_plain || !whole_call_collective(leave, call->seq, sent, received))
            record_append(leave, SPOOL_LEAVE, (uint16_t)call->function, call->reason, sent, received,
                          call->by_engine | (uint64_t)algorithm << SPOOL_ALGORITHM_AT);
    }
    if (__builtin_expect(call->comm && call->seq >= call->comm->checkpoint, 0))
        run_checkpoint((int)call->function, call->seq, sent > 0 || call->error != MPI_SUCCESS);
    call_close_at(leave, leave - call->enter);
    return call->error;
}

uint64_t packed_by_all(const struct call *call, MPI_Count count, MPI_Datatype datatype) {
    return collective_counts(call) ? packed(call, count, datatype) * (uint64_t)call->comm->peers : 0;
}
