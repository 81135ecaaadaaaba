/* The application's point-to-point messages as records.
 *
 * The peer is a rank of the communicator, of an intercommunicator's remote group. Not recorded: messages to and from
 * MPI_PROC_NULL, on communicators that the collector does not know, and those of calls that failed.
 */
#ifndef HOPSCOPE_MESSAGE_H
#define HOPSCOPE_MESSAGE_H

#include "wrappers/call.h"

/* Packed bytes of one element; 0 for a null type. */
static inline uint64_t type_bytes(MPI_Datatype datatype) {
    MPI_Count size = 0;
    if (datatype == MPI_DATATYPE_NULL || pmpi.Type_size_x(datatype, &size) != MPI_SUCCESS || size < 0)
        return 0;
    return (uint64_t)size;
}

/* The definition under which messages on this communicator are recorded; 0: they are not. */
static inline uint32_t message_comm(MPI_Comm handle) {
    struct comm *comm = comm_find(handle);
    return comm ? comm->id : 0;
}

static inline uint64_t message_peer(int peer, int tag) {
    return (uint64_t)(uint32_t)peer << 32 | (uint32_t)tag;
}

/* After a send: SPOOL_SEND, or SPOOL_ISEND with its request id. Its stamp is the call's enter. */
void message_sent(const struct call *call, enum spool_kind kind, MPI_Comm comm, int peer, int tag, MPI_Count count,
                  MPI_Datatype datatype, uint64_t id);
/* After a receive: SPOOL_RECV or SPOOL_IRECV, with what the status says. */
void message_received(uint64_t ticks, enum spool_kind kind, uint32_t comm, const MPI_Status *status, uint64_t id);

#endif
