#include "wrappers/message.h"

bool messages_recorded = true;

_Thread_local struct type_memory type_memory __attribute__((tls_model("initial-exec")));

uint64_t type_bytes_asked(MPI_Datatype datatype) {
    MPI_Count size = 0;
    int integers, addresses, datatypes, combiner = 0;
    if (datatype == MPI_DATATYPE_NULL || pmpi.Type_size_x(datatype, &size) != MPI_SUCCESS || size < 0)
        return 0;
    if (pmpi.Type_get_envelope(datatype, &integers, &addresses, &datatypes, &combiner) == MPI_SUCCESS &&
        combiner == MPI_COMBINER_NAMED)
        type_memory = (struct type_memory){datatype, (uint64_t)size};
    return (uint64_t)size;
}

void message_sent(const struct call *call, enum spool_kind kind, MPI_Comm comm, int peer, int tag, MPI_Count count,
                  MPI_Datatype datatype, uint64_t id) {
    uint32_t comm_id = message_comm(comm);
    if (call->error == MPI_SUCCESS && peer != MPI_PROC_NULL && comm_id)
        record_append(call->enter, kind, 0, comm_id, message_peer(peer, tag), (uint64_t)count * type_bytes(datatype),
                      id);
}

void message_received(uint64_t ticks, enum spool_kind kind, uint32_t comm, const MPI_Status *status, uint64_t id) {
    MPI_Count bytes = 0;
    if (!comm || status->MPI_SOURCE < 0)
        return;
    if (pmpi.Get_elements_x(status, MPI_BYTE, &bytes) != MPI_SUCCESS || bytes < 0)
        bytes = 0;
    record_append(ticks, kind, 0, comm, message_peer(status->MPI_SOURCE, status->MPI_TAG), (uint64_t)bytes, id);
}
