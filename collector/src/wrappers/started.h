/* Collectives that return before they are complete: nonblocking ones, and persistent ones from MPI_Start on.
 *
 * A nonblocking collective gets its number in its call, like a blocking one. Persistent ones are numbered separately,
 * because MPI lets members start them in different orders. Their number combines the number of the request on its
 * communicator, which is equal on all members, and the number of earlier starts. */
#ifndef HOPSCOPE_STARTED_H
#define HOPSCOPE_STARTED_H

#include "wrappers/collective.h"
#include "wrappers/requests.h"

/* Begins a nonblocking form, like collective_enter. */
void nonblocking_enter(struct call *call, enum mpi_function function, const void *caller, MPI_Comm comm, int root);
/* Ends a nonblocking form. Bytes are those of collective.h. */
int nonblocking_leave(struct call *call, uint64_t sent, uint64_t received, const MPI_Request *request);

/* Call these two in the call that creates a persistent request. The collective is counted only when it is started. */
void persistent_enter(struct call *call, enum mpi_function function, const void *caller, MPI_Comm comm, int root);
int persistent_leave(struct call *call, uint64_t sent, uint64_t received, const MPI_Request *request);

/* Call it before MPI_Start begins the collective of this handle, if the handle has one. */
void started_expect(MPI_Request handle);
/* Records a collective that MPI_Start has begun on comm, in the call that is entered now. The request is active. */
void started_record(const struct call *call, const struct comm *comm, const struct request *request);
/* Returns a persistent collective's communicator; NULL if it has been freed in the meantime. */
const struct comm *started_comm(const struct request *request);
/* Records that the collective is complete. */
void started_complete(uint64_t ticks, const struct request *request);

#endif
