#include "wrappers/transfer.h"

#include "wrappers/message.h"

/* Does nothing if the transfer began in a recording gap. */
void transfer_complete(uint64_t ticks, const struct request *request) {
    if (!request->gap)
        record_append(ticks, SPOOL_TRANSFER_COMPLETE, 0, request->comm, message_peer(request->peer, request->tag),
                      request->bytes, request->id);
}

int transfer_leave(struct call *call, struct transfer transfer, const MPI_Request *handle) {
    if (call_passed_on(call))
        return call->error;
    uint64_t leave = clock_now();
    if (call->error == MPI_SUCCESS && messages_recorded && transfer.target != MPI_PROC_NULL) {
        const struct comm *members = comm_find_bits(transfer.object);
        struct request request = {.kind = REQUEST_TRANSFER,
                                  .active = true,
                                  .id = record_request_id(),
                                  .gap = record_gap(),
                                  .comm = members ? members->id : 0,
                                  .peer = transfer.target,
                                  .tag = (int)transfer.kind,
                                  .bytes = message_bytes(transfer.count, transfer.type)};
        record_append(call->enter, SPOOL_TRANSFER, 0, request.comm, message_peer(request.peer, request.tag),
                      request.bytes, request.id);
        if (*handle == MPI_REQUEST_NULL || requests_complete_at_once(*handle))
            transfer_complete(leave, &request);
        else
            requests_add(*handle, request);
    }
    return call_leave_at(call, leave);
}
