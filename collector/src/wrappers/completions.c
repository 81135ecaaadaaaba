/* Waits and tests: the ends of requests.
 *
 * Each call works on a copy of the handles, because the library overwrites completed ones. If the application ignores
 * statuses, it passes our own: they tell the source, tag and size of what was received.
 */
#include <errno.h>
#include <stdlib.h>

#include "comm/registry.h"
#include "wrappers/completions.h"
#include "wrappers/message.h"
#include "wrappers/requests.h"
#include "wrappers/started.h"

enum { ON_STACK = 64 };

struct array {
    MPI_Request few_handles[ON_STACK], *handles; /* NULL: out of memory; completions are then unknown */
    MPI_Status few_statuses[ON_STACK], *statuses;
    void *allocated;
};

/* users: the application's array of statuses, or MPI_STATUSES_IGNORE. */
static void copy(const struct call *call, struct array *array, int count, const MPI_Request requests[],
                 MPI_Status *users) {
    array->allocated = NULL;
    array->handles = NULL;
    array->statuses = users;
    if (call_passed_on(call))
        return;
    array->handles = array->few_handles;
    array->statuses = users == MPI_STATUSES_IGNORE ? array->few_statuses : users;
    if (count > ON_STACK) {
        int kept = errno;
        size_t room = (size_t)count * (sizeof(MPI_Status) + sizeof(MPI_Request));
        array->allocated = malloc(room);
        array->handles = NULL;
        if (!array->allocated) {
            array->statuses = users;
        } else {
            if (users == MPI_STATUSES_IGNORE)
                array->statuses = array->allocated;
            array->handles = (MPI_Request *)((MPI_Status *)array->allocated + count);
        }
        errno = kept;
    }
    for (int i = 0; array->handles && i < count; i++)
        array->handles[i] = requests[i];
}

static void release(struct array *array) {
    int kept = errno;
    free(array->allocated);
    errno = kept;
}

static bool was_cancelled(const struct request *request, const MPI_Status *status) {
    int cancelled = 0;
    return request->cancelled && pmpi.Test_cancelled(status, &cancelled) == MPI_SUCCESS && cancelled;
}

/* Records that the message never existed. Matching needs to know that even if recording was paused meanwhile. */
static void cancelled(uint64_t ticks, const struct request *request) {
    if (!request->gap)
        record_append_past_hold(ticks, SPOOL_REQUEST_CANCELLED, 0, 0, 0, request->id);
}

/* The status is the receive's, but MPICH does not fill it in (seen in 4.0 and 5.0). So it is used only after wildcards,
 * and not with MPICH: such a receive stays without an end. Otherwise the request's own values count, with the most
 * bytes that could arrive. */
static void complete_both(uint64_t ticks, struct request request, const MPI_Status *status) {
    if (request.id && !request.gap)
        record_append(ticks, SPOOL_ISEND_COMPLETE, 0, 0, 0, 0, request.id);
    request.id = request.receive_id;
    if (request.id && request.named)
        message_completed_from(ticks, &request, message_peer(request.peer, request.tag), request.bytes);
#ifdef OMPI_MPI_H
    else if (request.id)
        message_completed(ticks, &request, status);
#else
    (void)status;
#endif
}

/* Handles the completion of the request behind this handle; status belongs to it. */
static void complete(uint64_t ticks, MPI_Request handle, const MPI_Status *status) {
    struct request request;
    if (handle == MPI_REQUEST_NULL || !requests_take(handle, &request))
        return;
    if (request.kind == REQUEST_COMM_IDUP)
        comm_register_promised(request.comm_handle, &request.promise);
    else if (request.kind == REQUEST_COLLECTIVE)
        started_complete(ticks, &request);
    else if (was_cancelled(&request, status))
        cancelled(ticks, &request);
    else if (request.kind == REQUEST_RECEIVE)
        message_completed(ticks, &request, status);
    else if (request.kind == REQUEST_PARTITIONED_RECEIVE) /* libraries fill in no status for it */
        message_completed_from(ticks, &request, message_peer(request.peer, request.tag), request.bytes);
    else if (request.kind == REQUEST_BOTH)
        complete_both(ticks, request, status);
    else if (!request.gap)
        record_append(ticks, SPOOL_ISEND_COMPLETE, 0, 0, 0, 0, request.id);
}

/* After an error in some requests: forgets those that are gone, without a record. */
static void forget_completed(int count, const MPI_Request before[], const MPI_Request after[]) {
    struct request request;
    for (int i = 0; before && i < count; i++)
        if (before[i] != MPI_REQUEST_NULL && after[i] == MPI_REQUEST_NULL)
            requests_take(before[i], &request);
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

/* One of several requests; index MPI_UNDEFINED: none was active. */
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

/* For a test: true if it found nothing, and then ends the call. One that found something ends like a wait. */
static bool found_nothing(struct call *call, struct array *array, bool nothing) {
    if (call_passed_on(call))
        return false;
    if (nothing) {
        release(array);
        poll_failed(call);
    } else {
        poll_succeeded(call);
    }
    return nothing;
}

WRAPPER int MPI_Wait(MPI_Request *request, MPI_Status *status) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_Wait, CALLER);
    MPI_Status own, *known = message_status(&call, status, &own);
    MPI_Request handle = call_passed_on(&call) ? MPI_REQUEST_NULL : *request;
    call.error = pmpi.Wait(request, known);
    return call_passed_on(&call) ? call.error : leave_one(&call, clock_now(), handle, request, known);
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
    MPI_Status own, *known = message_status(&call, status, &own);
    call.error = pmpi.Waitany(count, requests, index, known);
    return leave_any(&call, &array, count, requests, index, known);
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
    MPI_Status own, *known = message_status(&call, status, &own);
    MPI_Request handle = call_passed_on(&call) ? MPI_REQUEST_NULL : *request;
    call.error = pmpi.Test(request, flag, known);
    if (call_passed_on(&call))
        return call.error;
    if (call.error == MPI_SUCCESS && (!*flag || handle == MPI_REQUEST_NULL))
        return poll_failed(&call);
    return leave_one(&call, poll_succeeded(&call), handle, request, known);
}

WRAPPER int MPI_Testall(int count, MPI_Request requests[], int *flag, MPI_Status statuses[]) {
    struct call call;
    struct array array;
    call_open(&call, FUNCTION_MPI_Testall, CALLER);
    copy(&call, &array, count, requests, statuses);
    call.error = pmpi.Testall(count, requests, flag, array.statuses);
    if (found_nothing(&call, &array, call.error == MPI_SUCCESS && !*flag))
        return call.error;
    return leave_all(&call, &array, count, requests);
}

WRAPPER int MPI_Testany(int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status) {
    struct call call;
    struct array array;
    call_open(&call, FUNCTION_MPI_Testany, CALLER);
    copy(&call, &array, count, requests, MPI_STATUSES_IGNORE);
    MPI_Status own, *known = message_status(&call, status, &own);
    call.error = pmpi.Testany(count, requests, index, flag, known);
    if (found_nothing(&call, &array, call.error == MPI_SUCCESS && (!*flag || *index == MPI_UNDEFINED)))
        return call.error;
    return leave_any(&call, &array, count, requests, index, known);
}

WRAPPER int MPI_Testsome(int count, MPI_Request requests[], int *done, int indices[], MPI_Status statuses[]) {
    struct call call;
    struct array array;
    call_open(&call, FUNCTION_MPI_Testsome, CALLER);
    copy(&call, &array, count, requests, statuses);
    call.error = pmpi.Testsome(count, requests, done, indices, array.statuses);
    if (found_nothing(&call, &array, call.error == MPI_SUCCESS && (*done == 0 || *done == MPI_UNDEFINED)))
        return call.error;
    return leave_some(&call, &array, count, requests, done, indices);
}
