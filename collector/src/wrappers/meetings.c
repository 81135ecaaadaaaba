/* The wrappers of functions that create intercommunicators: two groups of processes, perhaps of different worlds,
 * connect. Each side records what it knows (struct meeting in comm/registry.h), and the assembly joins the two sides.
 */
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include "comm/registry.h"
#include "hopscope/hash.h"
#include "wrappers/call.h"

static int leave_meeting(struct call *call, enum comm_origin origin, MPI_Comm local, uint64_t salt,
                         struct meeting *meeting, const MPI_Comm *handle) {
    if (call_passed_on(call))
        return call->error;
    meeting->begin_ticks = call->enter;
    meeting->end_ticks = clock_now();
    if (call->error == MPI_SUCCESS)
        comm_register_meeting(*handle, origin, local, salt, meeting);
    return call_leave(call);
}

/* True if this process has this rank in the communicator. False if the call is only passed on. */
static bool is_rank(const struct call *call, MPI_Comm comm, int rank) {
    const struct comm *known_comm = call_passed_on(call) ? NULL : comm_find(comm);
    return known_comm && known_comm->rank == rank;
}

WRAPPER int MPI_Intercomm_create(MPI_Comm local, int local_leader, MPI_Comm peer, int remote_leader, int tag,
                                 MPI_Comm *handle) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_Intercomm_create, CALLER);
    call.error = pmpi.Intercomm_create(local, local_leader, peer, remote_leader, tag, handle);
    bool leads = is_rank(&call, local, local_leader); /* MPI reads the peer arguments on leaders only */
    struct meeting meeting = {.leads = leads, .peer = leads ? peer : MPI_COMM_NULL, .peer_rank = remote_leader};
    return leave_meeting(&call, COMM_ORIGIN_INTERCOMM, local, (uint64_t)tag, &meeting, handle);
}

#if HOPSCOPE_MPI_4
WRAPPER int MPI_Intercomm_create_from_groups(MPI_Group local, int local_leader, MPI_Group remote, int remote_leader,
                                             const char *text, MPI_Info info, MPI_Errhandler handler,
                                             MPI_Comm *handle) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_Intercomm_create_from_groups, CALLER);
    call.error =
        pmpi.Intercomm_create_from_groups(local, local_leader, remote, remote_leader, text, info, handler, handle);
    if (call.error == MPI_SUCCESS && !call_passed_on(&call))
        comm_register(*handle, COMM_ORIGIN_INTERCOMM, MPI_COMM_NULL, hash_text(HASH_START, text));
    return call_leave(&call);
}
#endif

WRAPPER int MPI_Comm_spawn(const char *command, char *arguments[], int max_processes, MPI_Info info, int root,
                           MPI_Comm comm, MPI_Comm *handle, int errors[]) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_Comm_spawn, CALLER);
    call.error = pmpi.Comm_spawn(command, arguments, max_processes, info, root, comm, handle, errors);
    struct meeting meeting = {.leads = is_rank(&call, comm, root), .peer = MPI_COMM_NULL};
    return leave_meeting(&call, COMM_ORIGIN_SPAWN, comm, 0, &meeting, handle);
}

WRAPPER int MPI_Comm_spawn_multiple(int count, char *commands[], char **arguments[], const int max_processes[],
                                    const MPI_Info infos[], int root, MPI_Comm comm, MPI_Comm *handle, int errors[]) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_Comm_spawn_multiple, CALLER);
    call.error = pmpi.Comm_spawn_multiple(count, commands, arguments, max_processes, infos, root, comm, handle, errors);
    struct meeting meeting = {.leads = is_rank(&call, comm, root), .peer = MPI_COMM_NULL};
    return leave_meeting(&call, COMM_ORIGIN_SPAWN, comm, 0, &meeting, handle);
}

/* The data about a connection over a port. Only the root has the port's name. */
static struct meeting meeting_at_port(const struct call *call, const char *port, int root, MPI_Comm comm) {
    bool leads = is_rank(call, comm, root);
    return (struct meeting){
        .leads = leads, .place_hash = leads ? hash_text(HASH_START, port) : 0, .peer = MPI_COMM_NULL};
}

WRAPPER int MPI_Comm_accept(const char *port, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *handle) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_Comm_accept, CALLER);
    call.error = pmpi.Comm_accept(port, info, root, comm, handle);
    struct meeting meeting = meeting_at_port(&call, port, root, comm);
    return leave_meeting(&call, COMM_ORIGIN_ACCEPT, comm, 0, &meeting, handle);
}

WRAPPER int MPI_Comm_connect(const char *port, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *handle) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_Comm_connect, CALLER);
    call.error = pmpi.Comm_connect(port, info, root, comm, handle);
    struct meeting meeting = meeting_at_port(&call, port, root, comm);
    return leave_meeting(&call, COMM_ORIGIN_CONNECT, comm, 0, &meeting, handle);
}

/* A hash of a socket connection's two addresses, which is equal at both ends; 0 for sockets without addresses. */
static uint64_t hash_of_connection(int socket) {
    struct sockaddr_storage ends[2];
    uint64_t hashes[2];
    for (int i = 0; i < 2; i++) {
        socklen_t length = sizeof ends[i];
        memset(&ends[i], 0, sizeof ends[i]);
        if ((i ? getpeername : getsockname)(socket, (struct sockaddr *)&ends[i], &length) != 0)
            return 0;
        if (ends[i].ss_family == AF_INET) {
            const struct sockaddr_in *end = (const void *)&ends[i];
            hashes[i] = hash_bytes(HASH_START, &end->sin_addr, sizeof end->sin_addr) * 31 + end->sin_port;
        } else if (ends[i].ss_family == AF_INET6) {
            const struct sockaddr_in6 *end = (const void *)&ends[i];
            hashes[i] = hash_bytes(HASH_START, &end->sin6_addr, sizeof end->sin6_addr) * 31 + end->sin6_port;
        } else {
            return 0;
        }
    }
    return hashes[0] + hashes[1];
}

WRAPPER int MPI_Comm_join(int socket, MPI_Comm *handle) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_Comm_join, CALLER);
    int saved_errno = errno;
    uint64_t place_hash = call_passed_on(&call) ? 0 : hash_of_connection(socket); /* before MPI uses the socket */
    errno = saved_errno;
    call.error = pmpi.Comm_join(socket, handle);
    struct meeting meeting = {.leads = true, .place_hash = place_hash, .peer = MPI_COMM_NULL};
    return leave_meeting(&call, COMM_ORIGIN_JOIN, MPI_COMM_SELF, 0, &meeting, handle);
}
