/* The wrappers of waits and tests, in which requests end.
 *
 * Each wrapper copies the handles before the call, because the library overwrites those of completed requests. If the
 * application ignores statuses, the wrapper passes statuses of its own, because it needs the source, tag and size of
 * each received message. */
#include <errno.h>
#include <stdlib.h>

#include "comm/registry.h"
#include "wrappers/completions.h"
#include "wrappers/message.h"
#include "wrappers/requests.h"
#include "wrappers/started.h"
#include "wrappers/transfer.h"

enum { ON_STACK = 64 };

struct array {
    MPI_Request few_handles[ON_STACK], *handles; /* handles NULL: out of memory, so completions are not recorded */
    MPI_Status few_statuses[ON_STACK], *statuses;
    void *allocated;
};

/* Copies handles. user_statuses: the application's array, or MPI_STATUSES_IGNORE. */
static void copy(const struct call *call, struct array *array, int count, const MPI_Request requests[],
                 MPI_Status *user_statuses) {
    array->allocated = NULL;
    array->handles = NULL;
    array->statuses = user_statuses;
    if (call_passed_on(call))
        return;
    array->handles = array->few_handles;
    array->statuses = user_statuses == MPI_STATUSES_IGNORE ? array->few_statuses : user_statuses;
    if (count > ON_STACK) {
        int saved_errno = errno;
        size_t room = (size_t)count * (sizeof(MPI_Status) + sizeof(MPI_Request));
        array->allocated = malloc(room);
        array->handles = NULL;
        if (!array->allocated) {
            array->statuses = user_statuses;
        } else {
            if (user_statuses == MPI_STATUSES_IGNORE)
                array->statuses = array->allocated;
            array->handles = (MPI_Request *)((MPI_Status *)array->allocated + count);
        }
        errno = saved_errno;
    }
    for (int i = 0; array->handles && i < count; i++)
        array->handles[i] = requests[i];
}

static void release(struct array *array) {
    int saved_errno = errno;
    free(array->allocated);
    errno = saved_errno;
}

static bool was_cancelled(const struct request *request, const MPI_Status *status) {
    int cancelled = 0;
    return request->cancelled && pmpi.Test_cancelled(status, &cancelled) == MPI_SUCCESS && cancelled;
}

/* Records that a request was cancelled, so that its message was never sent or received. The matching of messages needs
 * this record even if recording is paused now. */
static void cancelled(uint64_t ticks, const struct request *request) {
    if (!request->gap)
        record_append_past_hold(ticks, SPOOL_REQUEST_CANCELLED, 0, 0, 0, request->id);
}

/* Records the ends of the send and of the receive of an MPI_Isendrecv. The status should be that of the receive, but
 * MPICH does not fill it in (seen in 4.0 and 5.0). So the status is used only for a receive with wildcards; under MPICH
 * the end of such a receive is not recorded. Without wildcards, peer and tag are those that were requested, and the
 * bytes are the most that could arrive. */
static void complete_both(uint64_t ticks, struct request request, const MPI_Status *status) {
    if (request.id && !request.gap)
        record_append(ticks, SPOOL_ISEND_COMPLETE, 0, 0, 0, 0, request.id);
    request.id = request.receive_id;
    if (request.id && request.without_wildcards)
        message_completed_from(ticks, &request, message_peer(request.peer, request.tag), request.bytes);
#ifdef OMPI_MPI_H
    else if (request.id)
        message_completed(ticks, &request, status);
#else
    (void)status;
#endif
}

/* Records the completion of the request with this handle. status: the request's. */
static void complete(uint64_t ticks, MPI_Request handle, const MPI_Status *status) {
    struct request request;
    if (handle == MPI_REQUEST_NULL || !requests_take(handle, &request))
        return;
    if (request.kind == REQUEST_COMM_IDUP)
        comm_register_promised(request.comm_handle, &request.promise);
    else if (request.kind == REQUEST_COLLECTIVE)
        started_complete(ticks, &request);
    else if (request.kind == REQUEST_TRANSFER)
        transfer_complete(ticks, &request);
    else if (was_cancelled(&request, status))
        cancelled(ticks, &request);
    else if (request.kind == REQUEST_RECEIVE)
        message_completed(ticks, &request, status);
    else if (request.kind == REQUEST_PARTITIONED_RECEIVE) /* libraries do not fill in the status of such a request */
        message_completed_from(ticks, &request, message_peer(request.peer, request.tag), request.bytes);
    else if (request.kind == REQUEST_BOTH)
        complete_both(ticks, request, status);
    else if (!request.gap)
        record_append(ticks, SPOOL_ISEND_COMPLETE, 0, 0, 0, 0, request.id);
}

/* Forgets completed requests without a record, after an error in some of the requests. */
static void forget_completed(int count, const MPI_Request handles[], const MPI_Request remaining[]) {
    struct request request;
    for (int i = 0; handles && i < count; i++)
        if (handles[i] != MPI_REQUEST_NULL && remaining[i] == MPI_REQUEST_NULL)
            requests_take(handles[i], &request);
}

static int leave_one(struct call *call, uint64_t leave, MPI_Request handle, const MPI_Request *request,
                     const MPI_Status *status) {
    if (call->error == MPI_SUCCESS)
        complete(leave, handle, status);
    else
        forget_completed(1, &handle, request);
    return call_leave_at(call, leave);
}

static int leave_all(struct call *call, struct array *array, int count, const MPI_Request requests[]) {
    if (call_passed_on(call))
        return call->error;
    uint64_t leave = clock_now();
    if (call->error != MPI_SUCCESS)
        forget_completed(count, array->handles, requests);
    for (int i = 0; call->error == MPI_SUCCESS && array->handles && i < count; i++)
        complete(leave, array->handles[i], &array->statuses[i]);
    release(array);
    return call_leave_at(call, leave);
}

static int leave_some(struct call *call, struct array *array, int count, const MPI_Request requests[], const int *done,
                      const int indices[]) {
    if (call_passed_on(call))
        return call->error;
    uint64_t leave = clock_now();
    if (call->error != MPI_SUCCESS)
        forget_completed(count, array->handles, requests);
    for (int i = 0; call->error == MPI_SUCCESS && array->handles && *done != MPI_UNDEFINED && i < *done; i++)
        complete(leave, array->handles[indices[i]], &array->statuses[i]);
    release(array);
    return call_leave_at(call, leave);
}

/* Ends a call that completes one of several requests. *index: that request; MPI_UNDEFINED: no request was active. */
static int leave_any(struct call *call, struct array *array, int count, const MPI_Request requests[], const int *index,
                     const MPI_Status *status) {
    if (call_passed_on(call))
        return call->error;
    uint64_t leave = clock_now();
    if (call->error != MPI_SUCCESS)
        forget_completed(count, array->handles, requests);
    else if (array->handles && *index != MPI_UNDEFINED)
        complete(leave, array->handles[*index], status);
    release(array);
    return call_leave_at(call, leave);
}

/* If a test completed no request, ends the call as an unsuccessful poll and returns true. Otherwise returns false: the
 * test then ends like a wait. */
static bool end_if_unsuccessful(struct call *call, struct array *array, bool is_unsuccessful) {
    if (call_passed_on(call))
        return false;
    if (is_unsuccessful) {
        release(array);
        poll_failed(call);
    } else {
        poll_succeeded(call);
    }
    return is_unsuccessful;
}

/* True if a test completed the request with this handle. remaining: the handle after the test. It is MPI_REQUEST_NULL
 * if the request was completed, unless the request is persistent; then the table of requests is asked. */
static bool was_completed(MPI_Request handle, MPI_Request remaining) {
    return handle != MPI_REQUEST_NULL && (remaining == MPI_REQUEST_NULL || !requests_is_inactive(handle));
}

/* True if a test completed any of the requests. */
static bool some_completed(const struct array *array, int count, const MPI_Request requests[]) {
    for (int i = 0; array->handles && i < count; i++)
        if (was_completed(array->handles[i], requests[i]))
            return true;
    return !array->handles;
}

WRAPPER int MPI_Wait(MPI_Request *request, MPI_Status *status) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_Wait, CALLER);
    MPI_Status own_status, *status_out = message_status(&call, status, &own_status);
    MPI_Request handle = call_passed_on(&call) ? MPI_REQUEST_NULL : *request;
    call.error = pmpi.Wait(request, status_out);
    return call_passed_on(&call) ? call.error : leave_one(&call, clock_now(), handle, request, status_out);
}

WRAPPER int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
    struct call call;
    struct array array;
    call_enter(&call, FUNCTION_MPI_Waitall, CALLER);
    copy(&call, &array, count, requests, statuses);
    call.error = pmpi.Waitall(count, requests, array.statuses);
    return leave_all(&call, &array, count, requests);
}

WRAPPER int MPI_Waitany(int count, MPI_Request requests[], int *index, MPI_Status *status) {
    struct call call;
    struct array array;
    call_enter(&call, FUNCTION_MPI_Waitany, CALLER);
    copy(&call, &array, count, requests, MPI_STATUSES_IGNORE);
    MPI_Status own_status, *status_out = message_status(&call, status, &own_status);
    call.error = pmpi.Waitany(count, requests, index, status_out);
    return leave_any(&call, &array, count, requests, index, status_out);
}

WRAPPER int MPI_Waitsome(int count, MPI_Request requests[], int *done, int indices[], MPI_Status statuses[]) {
    struct call call;
    struct array array;
    call_enter(&call, FUNCTION_MPI_Waitsome, CALLER);
    copy(&call, &array, count, requests, statuses);
    call.error = pmpi.Waitsome(count, requests, done, indices, array.statuses);
    return leave_some(&call, &array, count, requests, done, indices);
}

WRAPPER int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status) {
    struct call call;
    call_open(&call, FUNCTION_MPI_Test, CALLER);
    MPI_Status own_status, *status_out = message_status(&call, status, &own_status);
    MPI_Request handle = call_passed_on(&call) ? MPI_REQUEST_NULL : *request;
    call.error = pmpi.Test(request, flag, status_out);
    if (call_passed_on(&call))
        return call.error;
    if (call.error == MPI_SUCCESS && (!*flag || !was_completed(handle, *request)))
        return poll_failed(&call);
    return leave_one(&call, poll_succeeded(&call), handle, request, status_out);
}

WRAPPER int MPI_Testall(int count, MPI_Request requests[], int *flag, MPI_Status statuses[]) {
    struct call call;
    struct array array;
    call_open(&call, FUNCTION_MPI_Testall, CALLER);
    copy(&call, &array, count, requests, statuses);
    call.error = pmpi.Testall(count, requests, flag, array.statuses);
    bool is_unsuccessful =
        call.error == MPI_SUCCESS && !call_passed_on(&call) && (!*flag || !some_completed(&array, count, requests));
    if (end_if_unsuccessful(&call, &array, is_unsuccessful))
        return call.error;
    return leave_all(&call, &array, count, requests);
}

WRAPPER int MPI_Testany(int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status) {
    struct call call;
    struct array array;
    call_open(&call, FUNCTION_MPI_Testany, CALLER);
    copy(&call, &array, count, requests, MPI_STATUSES_IGNORE);
    MPI_Status own_status, *status_out = message_status(&call, status, &own_status);
    call.error = pmpi.Testany(count, requests, index, flag, status_out);
    if (end_if_unsuccessful(&call, &array, call.error == MPI_SUCCESS && (!*flag || *index == MPI_UNDEFINED)))
        return call.error;
    return leave_any(&call, &array, count, requests, index, status_out);
}

WRAPPER int MPI_Testsome(int count, MPI_Request requests[], int *done, int indices[], MPI_Status statuses[]) {
    struct call call;
    struct array array;
    call_open(&call, FUNCTION_MPI_Testsome, CALLER);
    copy(&call, &array, count, requests, statuses);
    call.error = pmpi.Testsome(count, requests, done, indices, array.statuses);
    if (end_if_unsuccessful(&call, &array, call.error == MPI_SUCCESS && (*done == 0 || *done == MPI_UNDEFINED)))
        return call.error;
    return leave_some(&call, &array, count, requests, done, indices);
}
