/* The wrappers of functions that make, name and free windows, or open and close their epochs.
 *
 * The calls that open and close an epoch for a group of ranks wait for one another. So they are recorded as messages
 * without bytes on the window: from MPI_Win_post to MPI_Win_start, and from MPI_Win_complete to MPI_Win_wait. */
#include "comm/epochs.h"
#include "comm/registry.h"
#include "wrappers/completions.h"
#include "wrappers/forms.h"
#include "wrappers/message.h"
#include "wrappers/object_calls.h"

#ifdef LARGE_COUNT
#define UNIT MPI_Aint
#else
#define UNIT int
#endif

static int leave_making(struct call *call, MPI_Comm comm, const MPI_Win *window) {
    if (call->error == MPI_SUCCESS && !call_passed_on(call)) {
        struct comm *members = comm_register_object(HANDLE_BITS(*window), COMM_ORIGIN_WINDOW, comm, "window");
        if (members)
            members->epochs = epochs_make(comm, members->size);
    }
    return object_call_leave(call);
}

WRAPPER int MPI_FORM(Win_create)(void *base, MPI_Aint size, UNIT unit, MPI_Info info, MPI_Comm comm, MPI_Win *window) {
    struct call call;
    object_call_enter(&call, FUNCTION_MPI_Win_create, CALLER, HANDLE_BITS(comm));
    call.error = PMPI_FORM(Win_create)(base, size, unit, info, comm, window);
    return leave_making(&call, comm, window);
}

WRAPPER int MPI_FORM(Win_allocate)(MPI_Aint size, UNIT unit, MPI_Info info, MPI_Comm comm, void *base,
                                   MPI_Win *window) {
    struct call call;
    object_call_enter(&call, FUNCTION_MPI_Win_allocate, CALLER, HANDLE_BITS(comm));
    call.error = PMPI_FORM(Win_allocate)(size, unit, info, comm, base, window);
    return leave_making(&call, comm, window);
}

WRAPPER int MPI_FORM(Win_allocate_shared)(MPI_Aint size, UNIT unit, MPI_Info info, MPI_Comm comm, void *base,
                                          MPI_Win *window) {
    struct call call;
    object_call_enter(&call, FUNCTION_MPI_Win_allocate_shared, CALLER, HANDLE_BITS(comm));
    call.error = PMPI_FORM(Win_allocate_shared)(size, unit, info, comm, base, window);
    return leave_making(&call, comm, window);
}

#ifndef LARGE_COUNT

WRAPPER int MPI_Win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win *window) {
    struct call call;
    object_call_enter(&call, FUNCTION_MPI_Win_create_dynamic, CALLER, HANDLE_BITS(comm));
    call.error = pmpi.Win_create_dynamic(info, comm, window);
    return leave_making(&call, comm, window);
}

WRAPPER int MPI_Win_free(MPI_Win *window) {
    struct call call;
    object_call_enter(&call, FUNCTION_MPI_Win_free, CALLER, HANDLE_BITS(*window));
    struct comm *members = object_withdraw(HANDLE_BITS(*window));
    call.error = pmpi.Win_free(window);
    comm_settle(members, call.error == MPI_SUCCESS);
    return object_call_leave(&call);
}

WRAPPER int MPI_Win_set_name(MPI_Win window, const char *name) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_Win_set_name, CALLER);
    call.error = pmpi.Win_set_name(window, name);
    bool is_named = call.error == MPI_SUCCESS && !call_passed_on(&call);
    struct comm *members = is_named ? comm_find_bits(HANDLE_BITS(window)) : NULL;
    if (members)
        comm_define_name(members, name);
    return call_leave(&call);
}

/* Records a fence as a collective, unless it need not wait for other ranks because no transfers precede it. All members
 * pass MPI_MODE_NOPRECEDE in that case, or none does. */
WRAPPER int MPI_Win_fence(int assertion, MPI_Win window) {
    struct call call;
    bool synchronises = !(assertion & MPI_MODE_NOPRECEDE);
    object_call_enter(&call, FUNCTION_MPI_Win_fence, CALLER, synchronises ? HANDLE_BITS(window) : 0);
    call.error = pmpi.Win_fence(assertion, window);
    return object_call_leave(&call);
}

WRAPPER int MPI_Win_attach(MPI_Win window, void *base, MPI_Aint size) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_Win_attach, CALLER);
    call.error = pmpi.Win_attach(window, base, size);
    return call_leave(&call);
}

WRAPPER int MPI_Win_detach(MPI_Win window, const void *base) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_Win_detach, CALLER);
    call.error = pmpi.Win_detach(window, base);
    return call_leave(&call);
}

enum epoch_tag { TAG_POST, TAG_COMPLETE };

/* Like call_enter, for a call that may wait for one rank of the window. Records that rank too, so that the trace of a
 * program that hangs shows for whom the call waits. target: negative if there is none, or more than one. */
static void target_enter(struct call *call, enum mpi_function function, const void *caller, const struct comm *window,
                         int target, int tag) {
    if (!call_open(call, function, caller))
        return;
    bool is_known = window && target >= 0;
    call_record_enter(call, is_known ? SPOOL_ENTER_MESSAGE : SPOOL_ENTER_BARE, is_known ? window->id : 0,
                      is_known ? message_peer(target, tag) : 0, 0);
}

/* target_enter for calls that handle locks. */
static void lock_enter(struct call *call, enum mpi_function function, const void *caller, MPI_Win window, int target,
                       enum spool_lock lock) {
    const struct comm *members = call_thread.outermost ? NULL : comm_find_bits(HANDLE_BITS(window));
    target_enter(call, function, caller, members, target, (int)lock);
}

/* The epochs of a window, also before the call has succeeded. NULL if the window is unknown, or if this call is inside
 * another one. */
static struct comm *epochs_of(MPI_Win window) {
    bool is_outermost = !call_thread.outermost && __atomic_load_n(&call_serving, __ATOMIC_ACQUIRE);
    struct comm *members = is_outermost ? comm_find_bits(HANDLE_BITS(window)) : NULL;
    return members && members->epochs ? members : NULL;
}

/* The only peer of an epoch; -1 if there is none, or more than one. */
static int only_peer(const struct epoch *epoch) {
    return epoch->count == 1 ? epoch->peers[0] : -1;
}

/* target_enter for calls that wait for the peers of an open epoch. */
static void epoch_enter(struct call *call, enum mpi_function function, const void *caller, MPI_Win window,
                        enum epoch_kind kind) {
    const struct comm *members = epochs_of(window);
    target_enter(call, function, caller, members, members ? only_peer(&members->epochs->of_kind[kind]) : -1,
                 TAG_COMPLETE);
}

/* The window of a call. NULL if the window is unknown, the call failed, or it was only passed on. */
static struct comm *window_of(const struct call *call, MPI_Win window) {
    struct comm *members = call->error == MPI_SUCCESS ? comm_find_bits(HANDLE_BITS(window)) : NULL;
    return members && members->epochs ? members : NULL;
}

static void send_to_peers(const struct call *call, const struct comm *window, const struct epoch *epoch,
                          enum epoch_tag tag) {
    for (int i = 0; messages_recorded && window->id && i < epoch->count; i++)
        if (epoch->peers[i] >= 0)
            message_sent_to(call, SPOOL_SEND, window->id, epoch->peers[i], (int)tag, 0, 0);
}

static void receive_from_peers(uint64_t ticks, const struct comm *window, const struct epoch *epoch,
                               enum epoch_tag tag) {
    for (int i = 0; messages_recorded && window->id && i < epoch->count; i++)
        if (epoch->peers[i] >= 0)
            message_received_from(ticks, window->id, epoch->peers[i], (int)tag, 0);
}

/* Ends the exposure epoch: records that the messages of all origins were received. */
static void end_exposure(uint64_t ticks, const struct comm *window) {
    if (!window)
        return;
    struct epoch *epoch = &window->epochs->of_kind[EPOCH_EXPOSURE];
    receive_from_peers(ticks, window, epoch, TAG_COMPLETE);
    epoch->count = 0;
}

WRAPPER int MPI_Win_start(MPI_Group group, int assertion, MPI_Win window) {
    struct call call;
    struct comm *members = epochs_of(window);
    /* A call that is going to fail must not change an open epoch, and must fail in the library only. */
    bool may_open = members && members->epochs->of_kind[EPOCH_ACCESS].count == 0 && group != MPI_GROUP_NULL;
    const struct epoch *epoch = may_open ? epoch_open(members->epochs, EPOCH_ACCESS, group) : NULL;
    target_enter(&call, FUNCTION_MPI_Win_start, CALLER, members, epoch ? only_peer(epoch) : -1, TAG_POST);
    call.error = pmpi.Win_start(group, assertion, window);
    if (call_passed_on(&call))
        return call.error;
    uint64_t leave = clock_now();
    if (members && call.error == MPI_SUCCESS)
        receive_from_peers(leave, members, epoch ? epoch : epoch_open(members->epochs, EPOCH_ACCESS, group), TAG_POST);
    else if (may_open)
        members->epochs->of_kind[EPOCH_ACCESS].count = 0;
    return call_leave_at(&call, leave);
}

WRAPPER int MPI_Win_complete(MPI_Win window) {
    struct call call;
    epoch_enter(&call, FUNCTION_MPI_Win_complete, CALLER, window, EPOCH_ACCESS);
    call.error = pmpi.Win_complete(window);
    if (call_passed_on(&call))
        return call.error;
    uint64_t leave = clock_now();
    const struct comm *members = window_of(&call, window);
    if (members) {
        struct epoch *epoch = &members->epochs->of_kind[EPOCH_ACCESS];
        send_to_peers(&call, members, epoch, TAG_COMPLETE);
        epoch->count = 0;
    }
    return call_leave_at(&call, leave);
}

WRAPPER int MPI_Win_post(MPI_Group group, int assertion, MPI_Win window) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_Win_post, CALLER);
    call.error = pmpi.Win_post(group, assertion, window);
    if (call_passed_on(&call))
        return call.error;
    uint64_t leave = clock_now();
    const struct comm *members = window_of(&call, window);
    if (members)
        send_to_peers(&call, members, epoch_open(members->epochs, EPOCH_EXPOSURE, group), TAG_POST);
    return call_leave_at(&call, leave);
}

WRAPPER int MPI_Win_wait(MPI_Win window) {
    struct call call;
    epoch_enter(&call, FUNCTION_MPI_Win_wait, CALLER, window, EPOCH_EXPOSURE);
    call.error = pmpi.Win_wait(window);
    if (call_passed_on(&call))
        return call.error;
    uint64_t leave = clock_now();
    end_exposure(leave, window_of(&call, window));
    return call_leave_at(&call, leave);
}

WRAPPER int MPI_Win_test(MPI_Win window, int *flag) {
    struct call call;
    call_open(&call, FUNCTION_MPI_Win_test, CALLER);
    call.error = pmpi.Win_test(window, flag);
    if (call_passed_on(&call) || call.error != MPI_SUCCESS || *flag <= 0)
        return poll_leave(&call, flag);
    uint64_t leave = poll_succeeded(&call);
    end_exposure(leave, window_of(&call, window));
    return call_leave_at(&call, leave);
}

WRAPPER int MPI_Win_lock(int type, int target, int assertion, MPI_Win window) {
    struct call call;
    lock_enter(&call, FUNCTION_MPI_Win_lock, CALLER, window, target,
               type == MPI_LOCK_EXCLUSIVE ? SPOOL_LOCK_EXCLUSIVE : SPOOL_LOCK_SHARED);
    call.error = pmpi.Win_lock(type, target, assertion, window);
    return call_leave(&call);
}

WRAPPER int MPI_Win_unlock(int target, MPI_Win window) {
    struct call call;
    lock_enter(&call, FUNCTION_MPI_Win_unlock, CALLER, window, target, SPOOL_LOCK_HELD);
    call.error = pmpi.Win_unlock(target, window);
    return call_leave(&call);
}

WRAPPER int MPI_Win_lock_all(int assertion, MPI_Win window) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_Win_lock_all, CALLER);
    call.error = pmpi.Win_lock_all(assertion, window);
    return call_leave(&call);
}

WRAPPER int MPI_Win_unlock_all(MPI_Win window) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_Win_unlock_all, CALLER);
    call.error = pmpi.Win_unlock_all(window);
    return call_leave(&call);
}

WRAPPER int MPI_Win_flush(int target, MPI_Win window) {
    struct call call;
    lock_enter(&call, FUNCTION_MPI_Win_flush, CALLER, window, target, SPOOL_LOCK_HELD);
    call.error = pmpi.Win_flush(target, window);
    return call_leave(&call);
}

WRAPPER int MPI_Win_flush_local(int target, MPI_Win window) {
    struct call call;
    lock_enter(&call, FUNCTION_MPI_Win_flush_local, CALLER, window, target, SPOOL_LOCK_HELD);
    call.error = pmpi.Win_flush_local(target, window);
    return call_leave(&call);
}

WRAPPER int MPI_Win_flush_all(MPI_Win window) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_Win_flush_all, CALLER);
    call.error = pmpi.Win_flush_all(window);
    return call_leave(&call);
}

WRAPPER int MPI_Win_flush_local_all(MPI_Win window) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_Win_flush_local_all, CALLER);
    call.error = pmpi.Win_flush_local_all(window);
    return call_leave(&call);
}

WRAPPER int MPI_Win_sync(MPI_Win window) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_Win_sync, CALLER);
    call.error = pmpi.Win_sync(window);
    return call_leave(&call);
}
#endif
