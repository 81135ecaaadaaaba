/* MPI_Request_get_status and similar: they inspect requests but complete none. A wait or test follows. */
#include "wrappers/completions.h"

WRAPPER int MPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status) {
    struct call call;
    call_open(&call, FUNCTION_MPI_Request_get_status, CALLER);
    call.error = pmpi.Request_get_status(request, flag, status);
    return poll_leave(&call, flag);
}

#if HOPSCOPE_MPI_4_1
WRAPPER int MPI_Request_get_status_all(int count, const MPI_Request requests[], int *flag, MPI_Status statuses[]) {
    struct call call;
    call_open(&call, FUNCTION_MPI_Request_get_status_all, CALLER);
    call.error = pmpi.Request_get_status_all(count, requests, flag, statuses);
    return poll_leave(&call, flag);
}

WRAPPER int MPI_Request_get_status_any(int count, const MPI_Request requests[], int *index, int *flag,
                                       MPI_Status *status) {
    struct call call;
    call_open(&call, FUNCTION_MPI_Request_get_status_any, CALLER);
    call.error = pmpi.Request_get_status_any(count, requests, index, flag, status);
    return poll_leave(&call, flag);
}

WRAPPER int MPI_Request_get_status_some(int count, const MPI_Request requests[], int *done, int indices[],
                                        MPI_Status statuses[]) {
    struct call call;
    call_open(&call, FUNCTION_MPI_Request_get_status_some, CALLER);
    call.error = pmpi.Request_get_status_some(count, requests, done, indices, statuses);
    return poll_leave(&call, done);
}
#endif
