/* The application's open requests, with everything that a completion call needs to know about a handle.
 *
 * A library may use one handle for several requests (all that complete at once), and may reuse a handle before another
 * thread has reported its completion. So a handle may be in the table several times, and the oldest request is taken
 * first. */
#ifndef HOPSCOPE_REQUESTS_H
#define HOPSCOPE_REQUESTS_H

#include "comm/registry.h"
#include "mpi/mpi_table.h"

enum request_kind {
    REQUEST_SEND,
    REQUEST_RECEIVE,
    REQUEST_BOTH, /* MPI_Isendrecv */
    REQUEST_PARTITIONED_SEND,
    REQUEST_PARTITIONED_RECEIVE,
    REQUEST_COLLECTIVE,
    REQUEST_TRANSFER, /* transfer.h; tag is the enum spool_transfer, peer the target */
    REQUEST_COMM_IDUP,
    REQUEST_MESSAGE
};

struct request {
    uint64_t handle; /* 0: an empty slot */
    uint64_t order;  /* of insertion */
    uint64_t id;     /* id in the records */
    uint8_t kind;
    bool persistent, active, cancelled;
    uint32_t gap;   /* the recording gap in which it began (or was started); 0: its beginning is recorded */
    uint32_t comm;  /* the communicator's definition; 0: its messages are not recorded */
    int peer, tag;  /* of a persistent send, recorded at each start; of both ends of a partitioned one; tag
                     * also of the library's messages in a persistent collective, 0: not known */
    uint64_t bytes; /* of the same messages; for a collective the bytes sent */
    int partitions,
        unready;         /* of a partitioned send: the number of partitions, and of those not ready since the start */
    uint64_t receive_id; /* of MPI_Isendrecv; id is then the send's, 0: none */
    bool without_wildcards; /* of a receive: peer, tag and bytes are as requested */
    /* For a collective, as in its records: */
    uint16_t function;
    uint64_t seq, root, received;
    /* A persistent collective's communicator, or the duplicate of MPI_Comm_idup. It is a copy, because a Fortran
     * binding's variable no longer exists at the completion. */
    MPI_Comm comm_handle;
    struct comm_promise promise;
};

/* Call it after PMPI_Init. It locks only if threads may call MPI concurrently. */
void requests_start(bool threads);

/* True for a handle that the library gives to every request that completes at once. */
bool requests_complete_at_once(MPI_Request handle);
/* Adds a request; sets its handle and order. If memory fails, the request stays unknown, and its completion is not
 * recorded.
 */
void requests_add(MPI_Request handle, struct request request);
/* Finds the oldest active request of this handle, which has completed. Removes it; deactivates it if it is persistent.
 * False if there is none. */
bool requests_take(MPI_Request handle, struct request *request);
/* Copies the oldest request of this handle, active or not. Call it before the request is started. False if there is
 * none. */
bool requests_look_up(MPI_Request handle, struct request *request);
/* Activates a persistent request. *request gets the seq of this start. False if there is none. */
bool requests_activate(MPI_Request handle, uint64_t id, uint32_t gap, struct request *request);
/* Counts partitions of a partitioned send that became ready in this recording gap. Returns true if they were the last
 * ones; *request is then the request, with this gap. */
bool requests_ready(MPI_Request handle, int partitions, uint32_t gap, struct request *request);
/* True if the handle has no active request: a null handle, or a persistent request that was not started. */
bool requests_is_inactive(MPI_Request handle);
void requests_mark_cancelled(MPI_Request handle);
/* Forgets a request whose handle the application has freed. */
void requests_forget(MPI_Request handle);

/* Keeps a matched message from MPI_Mprobe to MPI_Mrecv, with its communicator's definition; 0 if it is unknown. */
void requests_add_message(MPI_Message message, uint32_t comm);
uint32_t requests_take_message(MPI_Message message);

#endif
