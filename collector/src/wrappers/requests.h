/* The application's open requests: for each handle, all that a wait or test must know to record the completion.
 *
 * A library may use one handle for all requests that complete at once. It may also reuse the handle of a completed
 * request before the thread that completed it has called requests_take. So a handle may be in the table several times,
 * and the oldest request is taken first. */
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
    uint64_t order;  /* number of the insertion: the oldest request has the lowest */
    uint64_t id;     /* id in the records */
    uint8_t kind;
    bool persistent, active, cancelled;
    uint32_t gap;   /* number of the recording gap in which it began or was started; 0: its beginning is recorded */
    uint32_t comm;  /* the communicator's definition; 0: its messages are not recorded */
    int peer, tag;  /* for a persistent send, a partitioned send or a partitioned receive. For a persistent collective,
                     * tag is that of the library's messages; 0: unknown */
    uint64_t bytes; /* bytes of that message; for a collective the bytes sent */
    int partitions, unready; /* for a partitioned send: number of partitions, and of those not ready since the start */
    uint64_t receive_id;     /* for MPI_Isendrecv: id of the receive; `id` is then the send's; 0: none */
    bool without_wildcards;  /* for a receive: peer, tag and bytes are those that were requested */
    /* For a collective, the values for its records: */
    uint16_t function;
    uint64_t seq, root, received;
    /* A persistent collective's communicator, or the new communicator of MPI_Comm_idup. The handle is copied, because a
     * Fortran binding's variable with the handle no longer exists when the request completes. */
    MPI_Comm comm_handle;
    struct comm_promise promise;
};

/* Call it after PMPI_Init. threads: several threads may call MPI concurrently, so the table needs its lock. */
void requests_start(bool threads);

/* True for a handle that the library gives to every request that completes at once. */
bool requests_complete_at_once(MPI_Request handle);
/* Adds a request, with this handle. If memory fails, the request stays unknown, and its completion is not recorded. */
void requests_add(MPI_Request handle, struct request request);
/* Call it when a request with this handle has completed. Copies the oldest active one to *request, and removes it from
 * the table; if it is persistent, only deactivates it. False if there is none. */
bool requests_take(MPI_Request handle, struct request *request);
/* Copies the oldest request of this handle, active or not, to *request. Call it before a persistent request is started.
 * False if there is none. */
bool requests_look_up(MPI_Request handle, struct request *request);
/* Activates a persistent request and copies it to *request, with the seq of this start. False if there is none. */
bool requests_activate(MPI_Request handle, uint64_t id, uint32_t gap, struct request *request);
/* Counts partitions of a partitioned send that are now ready. gap: the current recording gap. Returns true if they were
 * the last partitions, and then copies the request to *request, with this gap. */
bool requests_ready(MPI_Request handle, int partitions, uint32_t gap, struct request *request);
/* True if the handle has no active request: a null handle, or a persistent request that was not started. */
bool requests_is_inactive(MPI_Request handle);
void requests_mark_cancelled(MPI_Request handle);
/* Forgets a request whose handle the application has freed. */
void requests_forget(MPI_Request handle);

/* Keep the id of a matched message's communicator from MPI_Mprobe to MPI_Mrecv. requests_take_message returns 0 if the
 * message is unknown. */
void requests_add_message(MPI_Message message, uint32_t comm);
uint32_t requests_take_message(MPI_Message message);

#endif
