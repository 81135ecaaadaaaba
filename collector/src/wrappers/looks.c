/* The wrappers of MPI_Request_get_status and similar functions, which inspect requests but do not complete them: a wait
 * or test still has to follow. */
#include "wrappers/completions.h"
#include "wrappers/requests.h"

/* Ends a call that inspects requests, as a poll. If all requests are inactive, the poll counts as unsuccessful. */
static int leave_look(struct call *call, const int *flag, int count, const MPI_Request requests[]) {
    static const int nothing = 0;
    bool is_active = call_passed_on(call) || call->error != MPI_SUCCESS || !*flag;
    for (int i = 0; !is_active && i < count; i++)
        is_active = !requests_is_inactive(requests[i]);
    return poll_leave(call, is_active ? flag : &nothing);
}

WRAPPER int MPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status) {
    struct call call;
    call_open(&call, FUNCTION_MPI_Request_get_status, CALLER);
    call.error = pmpi.Request_get_status(request, flag, status);
    return leave_look(&call, flag, 1, &request);
}

#if HOPSCOPE_MPI_4_1
#ifdef I_MPI_VERSION /* Intel's mpi.h lacks the const of the standard */
#define OPEN_REQUEST MPI_Request
#else
#define OPEN_REQUEST const MPI_Request
#endif

WRAPPER int MPI_Request_get_status_all(int count, OPEN_REQUEST requests[], int *flag, MPI_Status statuses[]) {
    struct call call;
    call_open(&call, FUNCTION_MPI_Request_get_status_all, CALLER);
    call.error = pmpi.Request_get_status_all(count, requests, flag, statuses);
    return leave_look(&call, flag, count, requests);
}

WRAPPER int MPI_Request_get_status_any(int count, OPEN_REQUEST requests[], int *index, int *flag, MPI_Status *status) {
    struct call call;
    call_open(&call, FUNCTION_MPI_Request_get_status_any, CALLER);
    call.error = pmpi.Request_get_status_any(count, requests, index, flag, status);
    return leave_look(&call, flag, call.error == MPI_SUCCESS && *index == MPI_UNDEFINED ? 0 : count, requests);
}

WRAPPER int MPI_Request_get_status_some(int count, OPEN_REQUEST requests[], int *done, int indices[],
                                        MPI_Status statuses[]) {
    struct call call;
    call_open(&call, FUNCTION_MPI_Request_get_status_some, CALLER);
    call.error = pmpi.Request_get_status_some(count, requests, done, indices, statuses);
    return poll_leave(&call, done);
}
#endif
