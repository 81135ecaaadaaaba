#include "wrappers/message.h"

bool messages_recorded = true;

/* Records a send. While recording is paused, only counts it (record/hold.h). */
void message_sent_to(const struct call *call, enum spool_kind kind, uint32_t comm, int peer, int tag, uint64_t bytes,
                     uint64_t id) {
    if (__builtin_expect(record_cursor.is_paused, 0))
        record_skip_send(comm, (uint32_t)peer, (uint32_t)tag);
    else
        record_append(call->enter, kind, 0, comm, message_peer(peer, tag), bytes, id);
}

void message_sent(const struct call *call, enum spool_kind kind, MPI_Comm comm, int peer, int tag, MPI_Count count,
                  MPI_Datatype datatype, uint64_t id) {
    uint32_t comm_id = message_comm(comm);
    if (call->error != MPI_SUCCESS || peer == MPI_PROC_NULL || !comm_id)
        return;
    message_sent_to(call, kind, comm_id, peer, tag, message_bytes(count, datatype), id);
}

static uint64_t bytes_of(const MPI_Status *status) {
    MPI_Count bytes = 0;
    return pmpi.Get_elements_x(status, MPI_BYTE, &bytes) == MPI_SUCCESS && bytes > 0 ? (uint64_t)bytes : 0;
}

void message_received_from(uint64_t ticks, uint32_t comm, int peer, int tag, uint64_t bytes) {
    if (__builtin_expect(record_cursor.is_paused, 0))
        record_skip_receive(comm, (uint32_t)peer, (uint32_t)tag);
    else
        record_append(ticks, SPOOL_RECV, 0, comm, message_peer(peer, tag), bytes, 0);
}

void message_received(uint64_t ticks, uint32_t comm, const MPI_Status *status) {
    if (comm && status->MPI_SOURCE >= 0)
        message_received_from(ticks, comm, status->MPI_SOURCE, status->MPI_TAG, bytes_of(status));
}

void message_completed_from(uint64_t ticks, const struct request *request, uint64_t source, uint64_t bytes) {
    uint32_t gap = record_gap();
    if (__builtin_expect(gap == 0 && request->gap == 0, 1))
        record_append(ticks, SPOOL_IRECV, 0, request->comm, source, bytes, request->id);
    else if (request->gap == gap)
        record_skip_receive(request->comm, (uint32_t)(source >> 32), (uint32_t)source);
    else
        record_append_past_hold(ticks, SPOOL_SKIPPED, request->comm, source, 1,
                                request->gap ? SPOOL_IN_GAP | request->gap : request->id);
}

void message_completed(uint64_t ticks, const struct request *request, const MPI_Status *status) {
    if (request->comm && status->MPI_SOURCE >= 0)
        message_completed_from(ticks, request, message_peer(status->MPI_SOURCE, status->MPI_TAG), bytes_of(status));
}
