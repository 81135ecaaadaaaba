/* Records the application's point-to-point messages.
 *
 * The peer is a rank of the communicator, or of an intercommunicator's remote group. Three kinds of messages are not
 * recorded: messages to and from MPI_PROC_NULL, on communicators that the collector does not know, and of
 * failed calls.
 */
#ifndef HOPSCOPE_MESSAGE_H
#define HOPSCOPE_MESSAGE_H

#include "mpi/type_bytes.h"
#include "wrappers/call.h"
#include "wrappers/requests.h"

/* False with HOPSCOPE_RECORD=collectives. Calls and waits are then recorded as usual, but not their messages and
 * requests. Set before any call is recorded. */
extern bool messages_recorded;

/* The id of the communicator's definition, for the records of its messages; 0: its messages are not recorded. */
static inline uint32_t message_comm(MPI_Comm handle) {
    struct comm *comm = messages_recorded ? comm_find(handle) : NULL;
    return comm ? comm->id : 0;
}

/* Like message_comm, but 0 also if the wrapper only passes this call on and so must not record. */
static inline uint32_t message_comm_of(const struct call *call, MPI_Comm handle) {
    return call_passed_on(call) ? 0 : message_comm(handle);
}

/* The packed bytes of a message. Does not look at the datatype of an empty message, which may be invalid. */
static inline uint64_t message_bytes(MPI_Count count, MPI_Datatype datatype) {
    return count > 0 ? (uint64_t)count * type_bytes(datatype) : 0;
}

static inline uint64_t message_peer(int peer, int tag) {
    return (uint64_t)(uint32_t)peer << 32 | (uint32_t)tag;
}

/* The peer and the tag that a call requests, combined as in message_peer, with SPOOL_ANY and SPOOL_NOBODY (see
 * SPOOL_ENTER). */
static inline uint64_t message_request(int peer, int tag) {
    uint32_t source = peer == MPI_ANY_SOURCE ? SPOOL_ANY : peer == MPI_PROC_NULL ? SPOOL_NOBODY : (uint32_t)peer;
    return (uint64_t)source << 32 | (tag == MPI_ANY_TAG ? SPOOL_ANY : (uint32_t)tag);
}

/* Like call_enter, for a blocking send, receive or probe. Records the requested peer too, so that the trace of a
 * program that hangs shows for which peer the call waits. */
static inline void message_enter(struct call *call, enum mpi_function function, const void *caller, MPI_Comm comm,
                                 uint64_t request, uint64_t second_request) {
    if (!call_open(call, function, caller))
        return;
    struct comm *known_comm = comm_find(comm);
    call_record_enter(call, second_request ? SPOOL_ENTER : SPOOL_ENTER_MESSAGE, known_comm ? known_comm->id : 0,
                      request, second_request);
}

/* The status to pass to the library: the application's or, if the application ignores it, the wrapper's own. */
static inline MPI_Status *message_status(const struct call *call, MPI_Status *user_status, MPI_Status *own_status) {
    return user_status == MPI_STATUS_IGNORE && !call_passed_on(call) ? own_status : user_status;
}

/* Call it after a send. kind: SPOOL_SEND, or SPOOL_ISEND with its request id. The record has the timestamp of the
 * call's enter. */
void message_sent(const struct call *call, enum spool_kind kind, MPI_Comm comm, int peer, int tag, MPI_Count count,
                  MPI_Datatype datatype, uint64_t id);
/* Call it after a blocking receive, with the fields of its status. */
void message_received(uint64_t ticks, uint32_t comm, const MPI_Status *status);
/* Like message_sent and message_received, with the values of the records' fields as arguments. peer: a rank. */
void message_sent_to(const struct call *call, enum spool_kind kind, uint32_t comm, int peer, int tag, uint64_t bytes,
                     uint64_t id);
void message_received_from(uint64_t ticks, uint32_t comm, int peer, int tag, uint64_t bytes);
/* Call one of these when the receive of this request has ended and was not cancelled. source: the message's peer and
 * tag, combined as in message_peer. */
void message_completed(uint64_t ticks, const struct request *request, const MPI_Status *status);
void message_completed_from(uint64_t ticks, const struct request *request, uint64_t source, uint64_t bytes);

#endif
