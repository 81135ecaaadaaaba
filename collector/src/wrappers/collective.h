/* Enter and leave of a collective, and the choice between the engine and the MPI library.
 *
 * The recorded bytes are the packed data that this rank sends and receives according to the call's arguments;
 * MPI_IN_PLACE counts as if the data were passed. The first number is sent, the second received:
 *   Barrier                      0, 0
 *   Bcast                        the root sends count, the others receive count
 *   Reduce                       every rank sends count, the root receives count
 *   Allreduce, Scan, Exscan      count, count (Exscan: rank 0 receives nothing)
 *   Gather(v)                    one block, 0; at the root one block, all blocks
 *   Scatter(v)                   0, one block; at the root all blocks, one block
 *   Allgather(v)                 one block, all blocks
 *   Alltoall(v,w)                all blocks, all blocks
 *   Reduce_scatter(_block)       all blocks, the rank's own block
 *   Neighbor_*                   as without Neighbor_, with a block for each out- and in-neighbour
 * On an intercommunicator, "all blocks" means one for each rank of the other group; for Reduce_scatter, of this group.
 * In Bcast, Reduce, Gather(v) and Scatter(v), the root's group does not take part except for the root itself, so its
 * other ranks have 0, 0. So do calls that fail, and calls on communicators that the collector does not know. Calls that
 * the MPI library refused do not count as collectives. */
#ifndef HOPSCOPE_COLLECTIVE_H
#define HOPSCOPE_COLLECTIVE_H

#include <limits.h>

#include "mpi/type_bytes.h"
#include "wrappers/call.h"

#ifdef HOPSCOPE_HAVE_ENGINE
#include "engine/engine.h"
#endif

struct engine_call;

/* The root of a collective that has none. The number is neither a rank nor any library's MPI_ROOT or MPI_PROC_NULL. */
enum { NO_ROOT = INT_MIN };

/* Converts a root argument to the value in records (hopscope/spool.h). */
uint64_t collective_root(int root);

/* The definition id of the reason why the requested tree cannot be used at all; 0: it can. Set in MPI_Init. */
extern uint32_t collective_refusal;

/* Numbers the collective and records its enter. If the call is only passed on, call->comm is NULL. */
void collective_enter(struct call *call, enum mpi_function function, const void *caller, MPI_Comm comm, int root);
/* False if the engine can neither run this call nor give a reason why not. This check is cheap, so make it for every
 * call. */
static inline bool collective_concerns_engine(const struct call *call) {
#ifdef HOPSCOPE_HAVE_ENGINE
    if (engine_serves((int)call->function))
        return true;
#else
    (void)call;
#endif
    return collective_refusal != 0;
}
/* True if the engine ran the call and set call->error. If false, call the PMPI function. */
bool collective_by_engine(struct call *call, struct engine_call *engine_call);
int collective_leave(struct call *call, uint64_t sent, uint64_t received);
/* For a failed call: true if the MPI library refused its arguments (MPI_COMM_NULL, a count below 0, ...). Other members
 * do not know of such a call, so it must not count as a collective. */
bool collective_refused(const struct call *call);
/* True if a collective on several ranks must send messages: it moves bytes, or it is a barrier. */
bool collective_has_messages(enum mpi_function function, uint64_t sent, uint64_t received);

/* True if the bytes of the call can be computed: it succeeded, and its communicator is known. */
static inline bool collective_counts(const struct call *call) {
    return call->error == MPI_SUCCESS && call->comm;
}

/* packed: the packed bytes of a block of `count` elements. packed_by_all: of one such block for each peer. 0 if
 * collective_counts is false. */
static inline uint64_t packed(const struct call *call, MPI_Count count, MPI_Datatype datatype) {
    return collective_counts(call) && count > 0 ? (uint64_t)count * type_bytes(datatype) : 0;
}
uint64_t packed_by_all(const struct call *call, MPI_Count count, MPI_Datatype datatype);

#endif
