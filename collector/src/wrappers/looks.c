/* Looks at requests that complete none: MPI_Request_get_status and its kin. A wait or test comes later. */
#include "wrappers/completions.h"

static int leave_look(struct call *call, bool found) {
    if (call->error == MPI_SUCCESS && !found)
        return poll_failed(call);
    return call_leave_at(call, poll_succeeded(call));
}

WRAPPER int MPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status) {
    struct call call;
    if (!call_open(&call, FUNCTION_MPI_Request_get_status, CALLER))
        return pmpi.Request_get_status(request, flag, status);
    call.error = pmpi.Request_get_status(request, flag, status);
    return leave_look(&call, *flag != 0);
}

#if HOPSCOPE_MPI_REQUEST_STATUSES
WRAPPER int MPI_Request_get_status_all(int count, const MPI_Request requests[], int *flag, MPI_Status statuses[]) {
    struct call call;
    if (!call_open(&call, FUNCTION_MPI_Request_get_status_all, CALLER))
        return pmpi.Request_get_status_all(count, requests, flag, statuses);
    call.error = pmpi.Request_get_status_all(count, requests, flag, statuses);
    return leave_look(&call, *flag != 0);
}

WRAPPER int MPI_Request_get_status_any(int count, const MPI_Request requests[], int *index, int *flag,
                                       MPI_Status *status) {
    struct call call;
    if (!call_open(&call, FUNCTION_MPI_Request_get_status_any, CALLER))
        return pmpi.Request_get_status_any(count, requests, index, flag, status);
    call.error = pmpi.Request_get_status_any(count, requests, index, flag, status);
    return leave_look(&call, *flag != 0);
}

WRAPPER int MPI_Request_get_status_some(int count, const MPI_Request requests[], int *done, int indices[],
                                        MPI_Status statuses[]) {
    struct call call;
    if (!call_open(&call, FUNCTION_MPI_Request_get_status_some, CALLER))
        return pmpi.Request_get_status_some(count, requests, done, indices, statuses);
    call.error = pmpi.Request_get_status_some(count, requests, done, indices, statuses);
    return leave_look(&call, *done > 0);
}
#endif
