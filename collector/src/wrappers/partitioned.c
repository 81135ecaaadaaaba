/* The wrappers of partitioned communication. Each start of such a request sends one message, whose partitions the
 * sender marks as ready one by one.
 *
 * The message is recorded as sent in the call that marks the last partition as ready, because the receiver waits for
 * that partition. MPI matches partitioned requests separately from all other messages. The bit ARCHIVE_PARTITIONED in
 * the tag keeps them separate in the records, too.
 */
#include "wrappers/completions.h"
#include "wrappers/message.h"
#include "wrappers/requests.h"

#if HOPSCOPE_MPI_4

static int leave_init(struct call *call, enum request_kind kind, MPI_Comm comm, int peer, int tag, int partitions,
                      MPI_Count count, MPI_Datatype datatype, const MPI_Request *request) {
    if (call_passed_on(call))
        return call->error;
    uint32_t comm_id = message_comm(comm);
    if (call->error == MPI_SUCCESS && peer != MPI_PROC_NULL && comm_id)
        requests_add(*request, (struct request){.kind = (uint8_t)kind,
                                                .persistent = true,
                                                .comm = comm_id,
                                                .peer = peer,
                                                .tag = (int)((uint32_t)tag | ARCHIVE_PARTITIONED),
                                                .bytes = (uint64_t)partitions * (uint64_t)count * type_bytes(datatype),
                                                .partitions = partitions});
    return call_leave(call);
}

WRAPPER int MPI_Psend_init(const void *buffer, int partitions, MPI_Count count, MPI_Datatype datatype, int peer,
                           int tag, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_Psend_init, CALLER);
    call.error = pmpi.Psend_init(buffer, partitions, count, datatype, peer, tag, comm, info, request);
    return leave_init(&call, REQUEST_PARTITIONED_SEND, comm, peer, tag, partitions, count, datatype, request);
}

WRAPPER int MPI_Precv_init(void *buffer, int partitions, MPI_Count count, MPI_Datatype datatype, int peer, int tag,
                           MPI_Comm comm, MPI_Info info, MPI_Request *request) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_Precv_init, CALLER);
    call.error = pmpi.Precv_init(buffer, partitions, count, datatype, peer, tag, comm, info, request);
    return leave_init(&call, REQUEST_PARTITIONED_RECEIVE, comm, peer, tag, partitions, count, datatype, request);
}

static void ready(const struct call *call, MPI_Request handle, int partitions) {
    struct request request;
    if (call_passed_on(call) || !requests_ready(handle, partitions, record_gap(), &request))
        return;
    if (request.gap)
        record_skip_send(request.comm, (uint32_t)request.peer, (uint32_t)request.tag);
    else
        record_append(call->enter, SPOOL_ISEND, 0, request.comm, message_peer(request.peer, request.tag), request.bytes,
                      request.id);
}

/* Records the message before it calls the library, because another thread may complete the request as soon as the last
 * partition is ready. The call fails only in an erroneous program, whose request then sends no more messages. */
WRAPPER int MPI_Pready(int partition, MPI_Request request) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_Pready, CALLER);
    ready(&call, request, 1);
    call.error = pmpi.Pready(partition, request);
    return call_leave(&call);
}

WRAPPER int MPI_Pready_range(int low, int high, MPI_Request request) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_Pready_range, CALLER);
    ready(&call, request, high - low + 1);
    call.error = pmpi.Pready_range(low, high, request);
    return call_leave(&call);
}

WRAPPER int MPI_Pready_list(int length, HOPSCOPE_LIST_OF_PARTITIONS int partitions[], MPI_Request request) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_Pready_list, CALLER);
    ready(&call, request, length);
    call.error = pmpi.Pready_list(length, partitions, request);
    return call_leave(&call);
}

/* Tests if one partition has arrived. It does not complete the message, which a wait or test does. */
WRAPPER int MPI_Parrived(MPI_Request request, int partition, int *flag) {
    struct call call;
    call_open(&call, FUNCTION_MPI_Parrived, CALLER);
    call.error = pmpi.Parrived(request, partition, flag);
    return poll_leave(&call, flag);
}

#endif
