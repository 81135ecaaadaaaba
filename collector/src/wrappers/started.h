/* Records collectives that return before they are complete: nonblocking ones, and persistent ones when MPI_Start starts
 * them.
 *
 * A nonblocking collective gets its sequence number in its call, like a blocking one. Persistent collectives are
 * numbered separately, because MPI lets members start them in different orders. Their sequence number combines the
 * number of the request on its communicator, which is equal on all members, with the number of the request's earlier
 * starts. */
#ifndef HOPSCOPE_STARTED_H
#define HOPSCOPE_STARTED_H

#include "wrappers/collective.h"
#include "wrappers/requests.h"

/* Like collective_enter, for a nonblocking form. */
void nonblocking_enter(struct call *call, enum mpi_function function, const void *caller, MPI_Comm comm, int root);
/* Like collective_leave, for a nonblocking form. sent, received: bytes as in collective.h. */
int nonblocking_leave(struct call *call, uint64_t sent, uint64_t received, const MPI_Request *request);

/* Enter and leave of the call that creates a persistent request. The collective itself is counted when it is started.
 */
void persistent_enter(struct call *call, enum mpi_function function, const void *caller, MPI_Comm comm, int root);
int persistent_leave(struct call *call, uint64_t sent, uint64_t received, const MPI_Request *request);

/* Call it before MPI_Start starts the request with this handle. Prepares for its messages if it is a persistent
 * collective. */
void started_expect(MPI_Request handle);
/* Records a collective that MPI_Start has begun on comm, in the call that is entered now. The request is active. */
void started_record(const struct call *call, const struct comm *comm, const struct request *request);
/* Returns a persistent collective's communicator; NULL if it has been freed in the meantime. */
const struct comm *started_comm(const struct request *request);
/* Records that the collective is complete. */
void started_complete(uint64_t ticks, const struct request *request);

#endif
