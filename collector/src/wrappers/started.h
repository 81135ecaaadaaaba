/* Collectives that return before they are done: nonblocking ones, and persistent ones from MPI_Start on.
 *
 * A nonblocking one is numbered where it is called, like a blocking one. Persistent ones are numbered apart, for MPI
 * lets members start them in different orders: by the number of the request on its communicator, which is alike on
 * all members, and by how often it was started before.
 */
#ifndef HOPSCOPE_STARTED_H
#define HOPSCOPE_STARTED_H

#include "wrappers/collective.h"
#include "wrappers/requests.h"

/* Ends a nonblocking form. Bytes as in collective.h. */
int nonblocking_leave(struct call *call, uint64_t sent, uint64_t received, MPI_Request handle);

/* A persistent form: the call that makes the request. No collective is counted before it is started. */
bool persistent_enter(struct call *call, enum mpi_function function, const void *caller, MPI_Comm comm, int root);
int persistent_leave(struct call *call, uint64_t sent, uint64_t received, MPI_Request handle);

/* MPI_Start began it, in the call that was entered here; request is active. */
void started_record(const struct call *call, const struct request *request);
/* It is complete. */
void started_complete(uint64_t ticks, const struct request *request);

#endif
