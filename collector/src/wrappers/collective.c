#include "wrappers/collective.h"

#include <errno.h>

#include "wrappers/message.h"

#ifdef HOPSCOPE_HAVE_ENGINE
#include "engine/engine.h"
#endif

uint32_t collective_refusal;

bool collective_enter(struct call *call, enum mpi_function function, const void *caller, MPI_Comm comm, int root) {
    if (!call_open(call, function, caller))
        return false;
    if (call_thread.polling)
        call_end_polling();
    call->reason = 0;
    call->by_engine = false;
    call->comm = comm_find(comm);
    uint32_t id = 0;
    call->seq = 0;
    if (call->comm) {
        /* Every collective counts, recorded or not, tree or native: all members must count alike. */
        call->seq = call->comm->next_seq++;
        id = call->comm->id;
    }
    record_append(call->enter, SPOOL_ENTER, (uint16_t)function, id, call->site, call->seq,
                  root >= 0 ? (uint64_t)root : UINT64_MAX);
    return true;
}

bool collective_by_engine(struct call *call, struct engine_call *engine_call) {
#ifdef HOPSCOPE_HAVE_ENGINE
    if (__builtin_expect(engine_serves((int)call->function), 0) && call->comm) {
        int kept = errno;
        engine_call->function = (int)call->function;
        engine_call->comm = call->comm;
        engine_call->seq = call->seq;
        call->by_engine = engine_run(engine_call, &call->error, &call->reason);
        errno = kept;
        return call->by_engine;
    }
#else
    (void)engine_call;
#endif
    call->reason = collective_refusal;
    return false;
}

int collective_leave(struct call *call, uint64_t sent, uint64_t received) {
    record_append(clock_now(), SPOOL_LEAVE, (uint16_t)call->function, call->reason, sent, received, call->by_engine);
    call_close();
    return call->error;
}

uint64_t packed(const struct call *call, int count, MPI_Datatype datatype) {
    return collective_counts(call) && count > 0 ? (uint64_t)count * type_bytes(datatype) : 0;
}

uint64_t packed_by_all(const struct call *call, int count, MPI_Datatype datatype) {
    return collective_counts(call) ? packed(call, count, datatype) * (uint64_t)call->comm->size : 0;
}

uint64_t packed_sum(const struct call *call, const int counts[], int blocks, MPI_Datatype datatype) {
    if (!collective_counts(call))
        return 0;
    uint64_t sum = 0;
    for (int i = 0; i < blocks; i++)
        sum += counts[i] > 0 ? (uint64_t)counts[i] : 0;
    return sum * type_bytes(datatype);
}

uint64_t packed_sum_w(const struct call *call, const int counts[], int blocks, const MPI_Datatype datatypes[]) {
    if (!collective_counts(call))
        return 0;
    uint64_t sum = 0;
    for (int i = 0; i < blocks; i++)
        sum += counts[i] > 0 ? (uint64_t)counts[i] * type_bytes(datatypes[i]) : 0;
    return sum;
}
