#include "wrappers/object_calls.h"

#include "comm/registry.h"
#include "wrappers/collective.h"

void object_call_enter(struct call *call, enum mpi_function function, const void *caller, uint64_t bits) {
    call->comm = NULL;
    if (!call_open(call, function, caller))
        return;
    call->comm = comm_find_bits(bits);
    call->seq = call->comm ? call->comm->next_seq++ : 0;
    call->root = SPOOL_ROOT_NONE;
    if (call->enter == 0) /* the enter was not recorded */
        return;
    if (!call->comm)
        call_record_enter(call, SPOOL_ENTER_BARE, 0, 0, 0);
    else if (__builtin_expect(whole_call_fits(call->seq), 1))
        call_record_enter(call, SPOOL_ENTER_COLLECTIVE, call->comm->id, call->seq, (uint32_t)call->root);
    else
        call_record_enter(call, SPOOL_ENTER, call->comm->id, call->seq, call->root);
}

/* True if the call failed with an error that the library detects before it waits for another rank. */
static bool is_refused(const struct call *call) {
    int class = MPI_ERR_OTHER;
    pmpi.Error_class(call->error, &class);
    return class == MPI_ERR_WIN || class == MPI_ERR_FILE || class == MPI_ERR_SIZE || class == MPI_ERR_DISP ||
           class == MPI_ERR_AMODE || class == MPI_ERR_INFO || class == MPI_ERR_RMA_SYNC || collective_refused(call);
}

int object_call_leave(struct call *call) {
    if (call_passed_on(call))
        return call->error;
    if (__builtin_expect(call->error != MPI_SUCCESS, 0) && call->comm && is_refused(call)) {
        call->comm->next_seq = call->seq;
        return call_leave_refused(call, clock_now());
    }
    return call_leave(call);
}

struct comm *object_withdraw(uint64_t bits) {
    return __atomic_load_n(&call_serving, __ATOMIC_ACQUIRE) ? comm_withdraw(bits) : NULL;
}
