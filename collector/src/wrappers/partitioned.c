/* Partitioned messages: one message a start, whose parts the sender hands over one by one.
 *
 * It is sent when the last part is ready, in the call that said so: what the receiver waits for is that, not the start.
 * Parts are matched by the requests, which match apart from all other messages; SPOOL_PARTITIONED in the tag keeps them
 * apart in the records too.
 */
#include "wrappers/completions.h"
#include "wrappers/message.h"
#include "wrappers/requests.h"

#if HOPSCOPE_MPI_PARTITIONED

static int leave_init(struct call *call, enum request_kind kind, MPI_Comm comm, int peer, int tag, int partitions,
                      MPI_Count count, MPI_Datatype datatype, MPI_Request handle) {
    uint32_t comm_id = message_comm(comm);
    if (call->error == MPI_SUCCESS && peer != MPI_PROC_NULL && comm_id)
        requests_add(handle, (struct request){.kind = (uint8_t)kind,
                                              .persistent = true,
                                              .comm = comm_id,
                                              .peer = peer,
                                              .tag = (int)((uint32_t)tag | SPOOL_PARTITIONED),
                                              .bytes = (uint64_t)partitions * (uint64_t)count * type_bytes(datatype),
                                              .partitions = partitions});
    return call_leave(call);
}

WRAPPER int MPI_Psend_init(const void *buffer, int partitions, MPI_Count count, MPI_Datatype datatype, int peer,
                           int tag, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
    struct call call;
    if (!call_enter(&call, FUNCTION_MPI_Psend_init, CALLER))
        return pmpi.Psend_init(buffer, partitions, count, datatype, peer, tag, comm, info, request);
    call.error = pmpi.Psend_init(buffer, partitions, count, datatype, peer, tag, comm, info, request);
    return leave_init(&call, REQUEST_PARTITIONED_SEND, comm, peer, tag, partitions, count, datatype, *request);
}

WRAPPER int MPI_Precv_init(void *buffer, int partitions, MPI_Count count, MPI_Datatype datatype, int peer, int tag,
                           MPI_Comm comm, MPI_Info info, MPI_Request *request) {
    struct call call;
    if (!call_enter(&call, FUNCTION_MPI_Precv_init, CALLER))
        return pmpi.Precv_init(buffer, partitions, count, datatype, peer, tag, comm, info, request);
    call.error = pmpi.Precv_init(buffer, partitions, count, datatype, peer, tag, comm, info, request);
    return leave_init(&call, REQUEST_PARTITIONED_RECEIVE, comm, peer, tag, partitions, count, datatype, *request);
}

static void ready(const struct call *call, MPI_Request handle, int partitions) {
    struct request request;
    if (!requests_ready(handle, partitions, record_gap(), &request))
        return;
    if (request.gap)
        record_skip_send(request.comm, (uint32_t)request.peer, (uint32_t)request.tag);
    else
        record_append(call->enter, SPOOL_ISEND, 0, request.comm, message_peer(request.peer, request.tag), request.bytes,
                      request.id);
}

/* What completes it may run in another thread as soon as the last part is ready, so that is said before. Parts that
 * were not ready after all are an error of the program's, of which no more messages come. */
WRAPPER int MPI_Pready(int partition, MPI_Request request) {
    struct call call;
    if (!call_enter(&call, FUNCTION_MPI_Pready, CALLER))
        return pmpi.Pready(partition, request);
    ready(&call, request, 1);
    call.error = pmpi.Pready(partition, request);
    return call_leave(&call);
}

WRAPPER int MPI_Pready_range(int low, int high, MPI_Request request) {
    struct call call;
    if (!call_enter(&call, FUNCTION_MPI_Pready_range, CALLER))
        return pmpi.Pready_range(low, high, request);
    ready(&call, request, high - low + 1);
    call.error = pmpi.Pready_range(low, high, request);
    return call_leave(&call);
}

WRAPPER int MPI_Pready_list(int length, HOPSCOPE_LIST_OF_PARTITIONS int partitions[], MPI_Request request) {
    struct call call;
    if (!call_enter(&call, FUNCTION_MPI_Pready_list, CALLER))
        return pmpi.Pready_list(length, partitions, request);
    ready(&call, request, length);
    call.error = pmpi.Pready_list(length, partitions, request);
    return call_leave(&call);
}

/* Looks at one part; the message is complete in a wait or test. */
WRAPPER int MPI_Parrived(MPI_Request request, int partition, int *flag) {
    struct call call;
    if (!call_open(&call, FUNCTION_MPI_Parrived, CALLER))
        return pmpi.Parrived(request, partition, flag);
    call.error = pmpi.Parrived(request, partition, flag);
    if (call.error == MPI_SUCCESS && !*flag)
        return poll_failed(&call);
    return call_leave_at(&call, poll_succeeded(&call));
}

#endif
