/* Waits and tests: the ends of requests.
 *
 * Each call works on a copy of the handles (the library overwrites completed ones) and, where the application ignores
 * statuses, on statuses of our own: they tell the source, tag and size of what was received.
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
    MPI_Request few_handles[ON_STACK], *handles; /* NULL: no memory; nothing is known of what completes */
    MPI_Status few_statuses[ON_STACK], *statuses;
    void *allocated;
};

/* users: the application's array of statuses, or MPI_STATUSES_IGNORE. */
static void copy(struct array *array, int count, const MPI_Request requests[], MPI_Status *users) {
    array->allocated = NULL;
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

/* It never was a message, which its partner in the matching must know even if recording was stopped meanwhile. */
static void cancelled(uint64_t ticks, const struct request *request) {
    if (!request->gap)
        record_append_past_hold(ticks, SPOOL_REQUEST_CANCELLED, 0, 0, 0, request->id);
}

/* The status is that of the receive; MPICH fills in none (seen in 4.0 and 5.0), so it is asked for wildcards only, and
 * not there: such a receive stays without its end. Of what was asked for the bytes are the most that could come. */
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

/* The request behind this handle is complete; status belongs to it. */
static void complete(uint64_t ticks, MPI_Request handle, const MPI_Status *status) {
    struct request request;
    if (handle == MPI_REQUEST_NULL || !requests_take(handle, &request))
        return;
    if (request.kind == REQUEST_COMM_IDUP)
        comm_register_promised(request.made, &request.promise);
    else if (request.kind == REQUEST_COLLECTIVE)
        started_complete(ticks, &request);
    else if (was_cancelled(&request, status))
        cancelled(ticks, &request);
    else if (request.kind == REQUEST_RECEIVE)
        message_completed(ticks, &request, status);
    else if (request.kind == REQUEST_PARTITIONED_RECEIVE) /* of which libraries fill in no status */
        message_completed_from(ticks, &request, message_peer(request.peer, request.tag), request.bytes);
    else if (request.kind == REQUEST_BOTH)
        complete_both(ticks, request, status);
    else if (!request.gap)
        record_append(ticks, SPOOL_ISEND_COMPLETE, 0, 0, 0, 0, request.id);
}

/* After an error in some of them: what is gone is forgotten, without a record. */
static void forget_completed(int count, const MPI_Request before[], const MPI_Request after[]) {
    struct request request;
    for (int i = 0; before && i < count; i++)
        if (before[i] != MPI_REQUEST_NULL && after[i] == MPI_REQUEST_NULL)
            requests_take(before[i], &request);
}

static int leave_all(struct call *call, struct array *array, int count, const MPI_Request requests[]) {
    uint64_t leave = clock_now();
    if (call->error != MPI_SUCCESS)
        forget_completed(count, array->handles, requests);
    for (int i = 0; call->error == MPI_SUCCESS && array->handles && i < count; i++)
        complete(leave, array->handles[i], &array->statuses[i]);
    release(array);
    return call_leave_at(call, leave);
}

static int leave_some(struct call *call, struct array *array, int count, const MPI_Request requests[], int done,
                      const int indices[]) {
    uint64_t leave = clock_now();
    if (call->error != MPI_SUCCESS)
        forget_completed(count, array->handles, requests);
    for (int i = 0; call->error == MPI_SUCCESS && array->handles && done != MPI_UNDEFINED && i < done; i++)
        complete(leave, array->handles[indices[i]], &array->statuses[i]);
    release(array);
    return call_leave_at(call, leave);
}

/* One of several; index MPI_UNDEFINED: none was active. */
static int leave_any(struct call *call, struct array *array, int count, const MPI_Request requests[], int index,
                     const MPI_Status *status) {
    uint64_t leave = clock_now();
    if (call->error != MPI_SUCCESS)
        forget_completed(count, array->handles, requests);
    else if (array->handles && index != MPI_UNDEFINED)
        complete(leave, array->handles[index], status);
    release(array);
    return call_leave_at(call, leave);
}

WRAPPER int MPI_Wait(MPI_Request *request, MPI_Status *status) {
    struct call call;
    if (!call_enter(&call, FUNCTION_MPI_Wait, CALLER))
        return pmpi.Wait(request, status);
    MPI_Status own, *known = status == MPI_STATUS_IGNORE ? &own : status;
    MPI_Request handle = *request;
    call.error = pmpi.Wait(request, known);
    uint64_t leave = clock_now();
    if (call.error == MPI_SUCCESS)
        complete(leave, handle, known);
    else
        forget_completed(1, &handle, request);
    return call_leave_at(&call, leave);
}

WRAPPER int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
    struct call call;
    if (!call_enter(&call, FUNCTION_MPI_Waitall, CALLER))
        return pmpi.Waitall(count, requests, statuses);
    struct array array;
    copy(&array, count, requests, statuses);
    call.error = pmpi.Waitall(count, requests, array.statuses);
    return leave_all(&call, &array, count, requests);
}

WRAPPER int MPI_Waitany(int count, MPI_Request requests[], int *index, MPI_Status *status) {
    struct call call;
    if (!call_enter(&call, FUNCTION_MPI_Waitany, CALLER))
        return pmpi.Waitany(count, requests, index, status);
    struct array array;
    copy(&array, count, requests, MPI_STATUSES_IGNORE);
    MPI_Status own, *known = status == MPI_STATUS_IGNORE ? &own : status;
    call.error = pmpi.Waitany(count, requests, index, known);
    return leave_any(&call, &array, count, requests, *index, known);
}

WRAPPER int MPI_Waitsome(int count, MPI_Request requests[], int *done, int indices[], MPI_Status statuses[]) {
    struct call call;
    if (!call_enter(&call, FUNCTION_MPI_Waitsome, CALLER))
        return pmpi.Waitsome(count, requests, done, indices, statuses);
    struct array array;
    copy(&array, count, requests, statuses);
    call.error = pmpi.Waitsome(count, requests, done, indices, array.statuses);
    return leave_some(&call, &array, count, requests, *done, indices);
}

WRAPPER int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status) {
    struct call call;
    if (!call_open(&call, FUNCTION_MPI_Test, CALLER))
        return pmpi.Test(request, flag, status);
    MPI_Status own, *known = status == MPI_STATUS_IGNORE ? &own : status;
    MPI_Request handle = *request;
    call.error = pmpi.Test(request, flag, known);
    if (call.error == MPI_SUCCESS && (!*flag || handle == MPI_REQUEST_NULL))
        return poll_failed(&call);
    uint64_t leave = poll_succeeded(&call);
    if (call.error == MPI_SUCCESS)
        complete(leave, handle, known);
    else
        forget_completed(1, &handle, request);
    return call_leave_at(&call, leave);
}

WRAPPER int MPI_Testall(int count, MPI_Request requests[], int *flag, MPI_Status statuses[]) {
    struct call call;
    if (!call_open(&call, FUNCTION_MPI_Testall, CALLER))
        return pmpi.Testall(count, requests, flag, statuses);
    struct array array;
    copy(&array, count, requests, statuses);
    call.error = pmpi.Testall(count, requests, flag, array.statuses);
    if (call.error == MPI_SUCCESS && !*flag) {
        release(&array);
        return poll_failed(&call);
    }
    poll_succeeded(&call);
    return leave_all(&call, &array, count, requests);
}

WRAPPER int MPI_Testany(int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status) {
    struct call call;
    if (!call_open(&call, FUNCTION_MPI_Testany, CALLER))
        return pmpi.Testany(count, requests, index, flag, status);
    struct array array;
    copy(&array, count, requests, MPI_STATUSES_IGNORE);
    MPI_Status own, *known = status == MPI_STATUS_IGNORE ? &own : status;
    call.error = pmpi.Testany(count, requests, index, flag, known);
    if (call.error == MPI_SUCCESS && (!*flag || *index == MPI_UNDEFINED)) {
        release(&array);
        return poll_failed(&call);
    }
    poll_succeeded(&call);
    return leave_any(&call, &array, count, requests, *index, known);
}

WRAPPER int MPI_Testsome(int count, MPI_Request requests[], int *done, int indices[], MPI_Status statuses[]) {
    struct call call;
    if (!call_open(&call, FUNCTION_MPI_Testsome, CALLER))
        return pmpi.Testsome(count, requests, done, indices, statuses);
    struct array array;
    copy(&array, count, requests, statuses);
    call.error = pmpi.Testsome(count, requests, done, indices, array.statuses);
    if (call.error == MPI_SUCCESS && (*done == 0 || *done == MPI_UNDEFINED)) {
        release(&array);
        return poll_failed(&call);
    }
    poll_succeeded(&call);
    return leave_some(&call, &array, count, requests, *done, indices);
}
