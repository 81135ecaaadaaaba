/* Records transfers that return a request: one-sided communication, and reads and writes of files. Any wait or test may
 * complete them. */
#ifndef HOPSCOPE_TRANSFER_H
#define HOPSCOPE_TRANSFER_H

#include "wrappers/call.h"
#include "wrappers/requests.h"

struct transfer {
    enum spool_transfer kind;
    uint64_t object; /* HANDLE_BITS of the window or file */
    MPI_Count count;
    MPI_Datatype type;
    int target; /* the target rank of a one-sided transfer */
};

/* Ends the call that began the transfer. */
int transfer_leave(struct call *call, struct transfer transfer, const MPI_Request *request);
/* Records that the transfer is complete. */
void transfer_complete(uint64_t ticks, const struct request *request);

#endif
