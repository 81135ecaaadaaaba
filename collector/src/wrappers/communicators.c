/* The wrappers of functions that create, name and free communicators. */
#include "comm/registry.h"
#include "hopscope/hash.h"
#include "native/shared/native.h"
#include "wrappers/object_calls.h"
#include "wrappers/requests.h"

#ifdef HOPSCOPE_HAVE_ENGINE
#include "engine/engine.h"
#endif

static void register_created(const struct call *call, enum comm_origin origin, MPI_Comm parent, uint64_t salt,
                             const MPI_Comm *handle) {
    if (call->error == MPI_SUCCESS && !call_passed_on(call))
        comm_register(*handle, origin, parent, salt);
}

/* Ends a creation that all members of the parent call. Registers the new communicator. */
static int leave_creation(struct call *call, enum comm_origin origin, MPI_Comm parent, uint64_t salt,
                          const MPI_Comm *handle) {
    register_created(call, origin, parent, salt, handle);
    return object_call_leave(call);
}

/* Ends a creation that only the members of the new communicator call. Registers the new communicator. */
static int leave_group_creation(struct call *call, enum comm_origin origin, MPI_Comm parent, uint64_t salt,
                                const MPI_Comm *handle) {
    register_created(call, origin, parent, salt, handle);
    return call_leave(call);
}

WRAPPER int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *handle) {
    struct call call;
    object_call_enter(&call, FUNCTION_MPI_Comm_dup, CALLER, HANDLE_BITS(comm));
    call.error = pmpi.Comm_dup(comm, handle);
    return leave_creation(&call, COMM_ORIGIN_DUP, comm, 0, handle);
}

WRAPPER int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *handle) {
    struct call call;
    object_call_enter(&call, FUNCTION_MPI_Comm_dup_with_info, CALLER, HANDLE_BITS(comm));
    call.error = pmpi.Comm_dup_with_info(comm, info, handle);
    return leave_creation(&call, COMM_ORIGIN_DUP, comm, 0, handle);
}

/* The promise for a duplicate of comm, with which it is registered when its request completes (comm/registry.h). */
static struct comm_promise promise_of(const struct call *call, MPI_Comm comm) {
    return call_passed_on(call) ? (struct comm_promise){0} : comm_promise(comm);
}

static int leave_idup(struct call *call, struct comm_promise promise, const MPI_Comm *handle,
                      const MPI_Request *request) {
    if (call->error == MPI_SUCCESS && promise.key)
        requests_add(
            *request,
            (struct request){.kind = REQUEST_COMM_IDUP, .active = true, .comm_handle = *handle, .promise = promise});
    return call_leave(call);
}

WRAPPER int MPI_Comm_idup(MPI_Comm comm, MPI_Comm *handle, MPI_Request *request) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_Comm_idup, CALLER);
    struct comm_promise promise = promise_of(&call, comm);
    call.error = pmpi.Comm_idup(comm, handle, request);
    return leave_idup(&call, promise, handle, request);
}

#if HOPSCOPE_MPI_4
WRAPPER int MPI_Comm_idup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *handle, MPI_Request *request) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_Comm_idup_with_info, CALLER);
    struct comm_promise promise = promise_of(&call, comm);
    call.error = pmpi.Comm_idup_with_info(comm, info, handle, request);
    return leave_idup(&call, promise, handle, request);
}

WRAPPER int MPI_Comm_create_from_group(MPI_Group group, const char *text, MPI_Info info, MPI_Errhandler handler,
                                       MPI_Comm *handle) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_Comm_create_from_group, CALLER);
    call.error = pmpi.Comm_create_from_group(group, text, info, handler, handle);
    return leave_group_creation(&call, COMM_ORIGIN_GROUP, MPI_COMM_NULL, hash_text(HASH_START, text), handle);
}
#endif

WRAPPER int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *handle) {
    struct call call;
    object_call_enter(&call, FUNCTION_MPI_Comm_split, CALLER, HANDLE_BITS(comm));
    call.error = pmpi.Comm_split(comm, color, key, handle);
    return leave_creation(&call, COMM_ORIGIN_SPLIT, comm, 0, handle);
}

WRAPPER int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *handle) {
    struct call call;
    object_call_enter(&call, FUNCTION_MPI_Comm_split_type, CALLER, HANDLE_BITS(comm));
    call.error = pmpi.Comm_split_type(comm, type, key, info, handle);
    return leave_creation(&call, COMM_ORIGIN_SPLIT, comm, 0, handle);
}

WRAPPER int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *handle) {
    struct call call;
    object_call_enter(&call, FUNCTION_MPI_Comm_create, CALLER, HANDLE_BITS(comm));
    call.error = pmpi.Comm_create(comm, group, handle);
    return leave_creation(&call, COMM_ORIGIN_CREATE, comm, 0, handle);
}

WRAPPER int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *handle) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_Comm_create_group, CALLER);
    call.error = pmpi.Comm_create_group(comm, group, tag, handle);
    /* The tag becomes part of the key, because two threads may create communicators from one parent at the same time,
     * with different tags. */
    return leave_group_creation(&call, COMM_ORIGIN_CREATE_GROUP, comm, (uint64_t)tag, handle);
}

#if HOPSCOPE_MPIX_ULFM
WRAPPER int MPIX_Comm_shrink(MPI_Comm comm, MPI_Comm *handle) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_Comm_shrink, CALLER);
    call.error = pmpi.Comm_shrink(comm, handle);
    return leave_group_creation(&call, COMM_ORIGIN_CREATE, comm, 0, handle);
}

WRAPPER int MPIX_Comm_agree(MPI_Comm comm, int *flag) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_Comm_agree, CALLER);
    call.error = pmpi.Comm_agree(comm, flag);
    return call_leave(&call);
}
#endif

WRAPPER int MPI_Cart_create(MPI_Comm comm, int dimensions, const int extents[], const int periodic[], int reorder,
                            MPI_Comm *handle) {
    struct call call;
    object_call_enter(&call, FUNCTION_MPI_Cart_create, CALLER, HANDLE_BITS(comm));
    call.error = pmpi.Cart_create(comm, dimensions, extents, periodic, reorder, handle);
    return leave_creation(&call, COMM_ORIGIN_TOPOLOGY, comm, 0, handle);
}

WRAPPER int MPI_Cart_sub(MPI_Comm comm, const int remaining[], MPI_Comm *handle) {
    struct call call;
    object_call_enter(&call, FUNCTION_MPI_Cart_sub, CALLER, HANDLE_BITS(comm));
    call.error = pmpi.Cart_sub(comm, remaining, handle);
    return leave_creation(&call, COMM_ORIGIN_TOPOLOGY, comm, 0, handle);
}

WRAPPER int MPI_Graph_create(MPI_Comm comm, int nodes, const int index[], const int edges[], int reorder,
                             MPI_Comm *handle) {
    struct call call;
    object_call_enter(&call, FUNCTION_MPI_Graph_create, CALLER, HANDLE_BITS(comm));
    call.error = pmpi.Graph_create(comm, nodes, index, edges, reorder, handle);
    return leave_creation(&call, COMM_ORIGIN_TOPOLOGY, comm, 0, handle);
}

WRAPPER int MPI_Dist_graph_create(MPI_Comm comm, int n, const int sources[], const int degrees[],
                                  const int destinations[], const int weights[], MPI_Info info, int reorder,
                                  MPI_Comm *handle) {
    struct call call;
    object_call_enter(&call, FUNCTION_MPI_Dist_graph_create, CALLER, HANDLE_BITS(comm));
    call.error = pmpi.Dist_graph_create(comm, n, sources, degrees, destinations, weights, info, reorder, handle);
    return leave_creation(&call, COMM_ORIGIN_TOPOLOGY, comm, 0, handle);
}

WRAPPER int MPI_Dist_graph_create_adjacent(MPI_Comm comm, int in_degree, const int sources[],
                                           const int source_weights[], int out_degree, const int destinations[],
                                           const int destination_weights[], MPI_Info info, int reorder,
                                           MPI_Comm *handle) {
    struct call call;
    object_call_enter(&call, FUNCTION_MPI_Dist_graph_create_adjacent, CALLER, HANDLE_BITS(comm));
    call.error = pmpi.Dist_graph_create_adjacent(comm, in_degree, sources, source_weights, out_degree, destinations,
                                                 destination_weights, info, reorder, handle);
    return leave_creation(&call, COMM_ORIGIN_TOPOLOGY, comm, 0, handle);
}

WRAPPER int MPI_Intercomm_merge(MPI_Comm comm, int high, MPI_Comm *handle) {
    struct call call;
    object_call_enter(&call, FUNCTION_MPI_Intercomm_merge, CALLER, HANDLE_BITS(comm));
    call.error = pmpi.Intercomm_merge(comm, high, handle);
    return leave_creation(&call, COMM_ORIGIN_MERGE, comm, 0, handle);
}

/* Forgets a communicator. Call it before the library frees the communicator and may reuse its handle. Works also for
 * calls that are only passed on: the delete callback of an attribute may free a communicator inside another MPI call.
 */
static void forget(MPI_Comm handle) {
    if (!__atomic_load_n(&call_serving, __ATOMIC_ACQUIRE))
        return;
    if (handle == MPI_COMM_NULL || handle == MPI_COMM_WORLD || handle == MPI_COMM_SELF)
        return; /* freeing these is an error of the application, which the library reports */
    struct comm *comm = comm_find(handle);
    if (comm)
        native_comm_free(comm);
#ifdef HOPSCOPE_HAVE_ENGINE
    if (comm)
        engine_comm_free(comm);
#endif
    comm_forget(handle);
}

WRAPPER int MPI_Comm_free(MPI_Comm *comm) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_Comm_free, CALLER);
    forget(*comm);
    call.error = pmpi.Comm_free(comm);
    return call_leave(&call);
}

WRAPPER int MPI_Comm_disconnect(MPI_Comm *comm) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_Comm_disconnect, CALLER);
    forget(*comm);
    call.error = pmpi.Comm_disconnect(comm);
    return call_leave(&call);
}

WRAPPER int MPI_Comm_set_name(MPI_Comm comm, const char *name) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_Comm_set_name, CALLER);
    call.error = pmpi.Comm_set_name(comm, name);
    struct comm *known_comm = call.error == MPI_SUCCESS && !call_passed_on(&call) ? comm_find(comm) : NULL;
    if (known_comm)
        comm_define_name(known_comm, name);
    return call_leave(&call);
}
