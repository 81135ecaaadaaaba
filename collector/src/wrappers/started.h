/* Collectives that return before they are done: nonblocking ones, and persistent ones from MPI_Start on.
 *
 * A nonblocking one is numbered at its call, like a blocking one. Persistent ones are numbered separately, because MPI
 * lets members start them in different orders: by the number of the request on its communicator, which is equal on all
 * members, and by the number of earlier starts.
 */
#ifndef HOPSCOPE_STARTED_H
#define HOPSCOPE_STARTED_H

#include "wrappers/collective.h"
#include "wrappers/requests.h"

/* Begins a nonblocking form, as collective_enter. */
void nonblocking_enter(struct call *call, enum mpi_function function, const void *caller, MPI_Comm comm, int root);
/* Ends it. Bytes as in collective.h. */
int nonblocking_leave(struct call *call, uint64_t sent, uint64_t received, const MPI_Request *request);

/* The call that creates a persistent request. The collective is counted only when started. */
void persistent_enter(struct call *call, enum mpi_function function, const void *caller, MPI_Comm comm, int root);
int persistent_leave(struct call *call, uint64_t sent, uint64_t received, const MPI_Request *request);

/* MPI_Start is about to begin what this handle stands for. */
void started_expect(MPI_Request handle);
/* MPI_Start began it on comm, in the call entered here; request is active. */
void started_record(const struct call *call, const struct comm *comm, const struct request *request);
/* A persistent collective's communicator; NULL if it has been freed meanwhile. */
const struct comm *started_comm(const struct request *request);
/* It is complete. */
void started_complete(uint64_t ticks, const struct request *request);

#endif
