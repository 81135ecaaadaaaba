/* Enter and leave of a collective, and the choice between the engine and the MPI library.
 *
 * Bytes are the packed data that the call's own arguments describe, as if nothing were in place. The first number is
 * this rank's contribution, the second what it receives.
 *   Barrier                      0, 0
 *   Bcast                        the root sends count, the others receive count
 *   Reduce                       every rank sends count, the root receives count
 *   Allreduce, Scan, Exscan      count, count (Exscan: rank 0 receives nothing)
 *   Gather(v), Scatter(v)        one block off the root; at the root also all blocks on the other side
 *   Allgather(v)                 one block, all blocks
 *   Alltoall(v,w)                all blocks, all blocks
 *   Reduce_scatter(_block)       all blocks, the rank's own
 *   Neighbor_*                   like the others, over the out- and in-neighbours
 * On an intercommunicator all blocks are those of the other group's ranks, except for Reduce_scatter, where they are
 * those of this group. The root passes MPI_ROOT; the others of its group take no part in Bcast, Reduce, Gather(v),
 * Scatter(v): 0, 0. Bytes are also 0, 0 on communicators that the collector does not know, and for failed calls. Calls
 * that the MPI library refused do not count as collectives. */
#ifndef HOPSCOPE_COLLECTIVE_H
#define HOPSCOPE_COLLECTIVE_H

#include <limits.h>

#include "mpi/type_bytes.h"
#include "wrappers/call.h"

#ifdef HOPSCOPE_HAVE_ENGINE
#include "engine/engine.h"
#endif

struct engine_call;

/* A number that is neither a rank nor any library's MPI_ROOT or MPI_PROC_NULL. */
enum { NO_ROOT = INT_MIN };

/* A root argument as records have it. */
uint64_t collective_root(int root);

/* The reason's definition id if the requested tree cannot be used at all. Set in MPI_Init. */
extern uint32_t collective_refusal;

/* Numbers the collective and records its beginning. If the call is only passed on, its communicator stays unknown. */
void collective_enter(struct call *call, enum mpi_function function, const void *caller, MPI_Comm comm, int root);
/* False: the engine neither runs this call nor gives a reason. It is cheap enough for every call. */
static inline bool collective_concerns_engine(const struct call *call) {
#ifdef HOPSCOPE_HAVE_ENGINE
    if (engine_serves((int)call->function))
        return true;
#else
    (void)call;
#endif
    return collective_refusal != 0;
}
/* True if the engine ran the call and set call->error. False: call PMPI. */
bool collective_by_engine(struct call *call, struct engine_call *engine_call);
int collective_leave(struct call *call, uint64_t sent, uint64_t received);
/* For a failed call: true if the MPI library refused its arguments (MPI_COMM_NULL, a count below 0, ...). Such a call
 * was not a collective: the other members do not know of it, so it must not count. */
bool collective_refused(const struct call *call);
/* True if a collective on several ranks must send messages: it moves bytes, or it is a barrier. */
bool collective_has_messages(enum mpi_function function, uint64_t sent, uint64_t received);

/* True if byte counts can be computed (see above). */
static inline bool collective_counts(const struct call *call) {
    return call->error == MPI_SUCCESS && call->comm;
}

/* Packed bytes of count elements. packed_by_all: of one such block for each peer. 0 if unknown. */
static inline uint64_t packed(const struct call *call, MPI_Count count, MPI_Datatype datatype) {
    return collective_counts(call) && count > 0 ? (uint64_t)count * type_bytes(datatype) : 0;
}
uint64_t packed_by_all(const struct call *call, MPI_Count count, MPI_Datatype datatype);

#endif
