/* The application's open requests: what a completion call needs to know about a handle.
 *
 * A library may give out one handle for several requests (all that were complete at once), and may give a handle out
 * again while another thread has not yet told us of its completion; so a handle may stand here several times, and
 * the oldest is taken first.
 */
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
    REQUEST_COMM_IDUP,
    REQUEST_MESSAGE
};

struct request {
    uint64_t handle; /* 0: an empty place */
    uint64_t order;  /* of coming here */
    uint64_t id;     /* in the records */
    uint8_t kind;
    bool persistent, active, cancelled;
    uint32_t gap;   /* of the recording, in which it was begun (or started); 0: its beginning is recorded */
    uint32_t comm;  /* definition of the communicator; 0: its messages are not recorded */
    int peer, tag;  /* of a persistent send, which records them at each start; of both ends of a partitioned one */
    uint64_t bytes; /* the same; sent by a collective */
    int partitions, unready; /* of a partitioned send: how many, and how many are left since its start */
    uint64_t receive_id;     /* of MPI_Isendrecv; id then is the send's, 0: none */
    bool named;              /* its receive: peer, tag and bytes are what it asked for, without wildcards */
    /* Of a collective: what its records say. */
    uint16_t function;
    uint64_t seq, root, received;
    MPI_Comm made; /* of MPI_Comm_idup; its place is a Fortran binding's own variable, gone by the completion */
    struct comm_promise promise;
};

/* After PMPI_Init: locks only if threads may call MPI at once. */
void requests_start(bool threads);

/* True for a handle that the library gives to every request that was complete at once. */
bool requests_complete_at_once(MPI_Request handle);
/* handle and order are filled in. If memory fails the request stays unknown: its completion is not recorded. */
void requests_add(MPI_Request handle, struct request request);
/* The oldest active request of this handle, which is complete now: it is removed, or inactive if persistent. */
bool requests_take(MPI_Request handle, struct request *request);
/* A persistent request is active from now on; in *request the seq of this start. */
bool requests_activate(MPI_Request handle, uint64_t id, uint32_t gap, struct request *request);
/* So many partitions of a partitioned send more are ready, in this gap of the recording. True if they were the last;
 * then *request is what it was, with this gap. */
bool requests_ready(MPI_Request handle, int partitions, uint32_t gap, struct request *request);
void requests_mark_cancelled(MPI_Request handle);
/* The application gave up the handle. */
void requests_forget(MPI_Request handle);

/* A matched message on its way from MPI_Mprobe to MPI_Mrecv: the communicator's definition, 0 if unknown. */
void requests_add_message(MPI_Message message, uint32_t comm);
uint32_t requests_take_message(MPI_Message message);

#endif
