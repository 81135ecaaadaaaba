/* Enter and leave of a collective, and who executes it.
 *
 * Bytes are those of the packed data that the call's own arguments describe, as if nothing were in place: what this
 * rank puts in and what it gets out.
 *   Barrier                      0, 0
 *   Bcast                        the root sends count, the others receive count
 *   Reduce                       every rank sends count, the root receives count
 *   Allreduce, Scan, Exscan      count, count (Exscan: rank 0 receives nothing)
 *   Gather(v), Scatter(v)        one block off the root; at the root also all blocks on the other side
 *   Allgather(v)                 one block, all blocks
 *   Alltoall(v,w)                all blocks, all blocks
 *   Reduce_scatter(_block)       all blocks, the rank's own
 *   Neighbor_*                   as their namesakes, over the out- and in-neighbours
 * On an intercommunicator all blocks are those of the other group's ranks, Reduce_scatter's those of the own; the root
 * passes MPI_ROOT, the others of its group take no part in Bcast, Reduce, Gather(v), Scatter(v): 0, 0.
 * On communicators that the collector does not know, and for calls that failed: 0, 0. Calls that the MPI library
 * refused are no collectives.
 */
#ifndef HOPSCOPE_COLLECTIVE_H
#define HOPSCOPE_COLLECTIVE_H

#include <limits.h>

#include "mpi/type_bytes.h"
#include "wrappers/call.h"

#ifdef HOPSCOPE_HAVE_ENGINE
#include "engine/engine.h"
#endif

struct engine_call;

/* Not a rank, and neither MPI_ROOT nor MPI_PROC_NULL of any library. */
enum { NO_ROOT = INT_MIN };

/* A root argument as records have it. */
uint64_t collective_root(int root);

/* Set in MPI_Init when a tree was asked for that cannot be used at all; the reason's definition. */
extern uint32_t collective_refusal;

/* Numbers the collective, and records its beginning. False: pass the call on. */
bool collective_enter(struct call *call, enum mpi_function function, const void *caller, MPI_Comm comm, int root);
/* False: the engine has nothing to do with this call, nor a word to say about it. Cheap, for every call. */
static inline bool collective_concerns_engine(const struct call *call) {
#ifdef HOPSCOPE_HAVE_ENGINE
    if (engine_serves((int)call->function))
        return true;
#else
    (void)call;
#endif
    return collective_refusal != 0;
}
/* True if the engine ran it: call->error is set. False: PMPI's turn. */
bool collective_by_engine(struct call *call, struct engine_call *engine_call);
int collective_leave(struct call *call, uint64_t sent, uint64_t received);
/* Of a call that has failed: true if the MPI library has refused its arguments (MPI_COMM_NULL, a count below 0, ...).
 * Then it was no collective, the other members do not know of it, and it must not be counted. */
bool collective_refused(const struct call *call);

/* True where byte counts can be worked out: see above. */
static inline bool collective_counts(const struct call *call) {
    return call->error == MPI_SUCCESS && call->comm;
}

/* Packed bytes of count elements, and of such a block for each rank that one exchanges with. 0 where unknown. */
static inline uint64_t packed(const struct call *call, MPI_Count count, MPI_Datatype datatype) {
    return collective_counts(call) && count > 0 ? (uint64_t)count * type_bytes(datatype) : 0;
}
uint64_t packed_by_all(const struct call *call, MPI_Count count, MPI_Datatype datatype);

#endif
