/* The wrappers of MPI_Init, MPI_Init_thread, MPI_Finalize, MPI_Abort and of sessions. They begin and end serving: only
 * in between do the wrappers record calls. In a program that has called MPI_Init, sessions are ordinary calls. In any
 * other program the first session begins serving, and the end of the last session ends it. */
#include <pthread.h>

#include "native/shared/native.h"
#include "run/run.h"
#include "run/unseen.h"
#include "wrappers/call.h"
#include "wrappers/collective.h"
#include "wrappers/message.h"
#include "wrappers/requests.h"

static bool has_begun;
static bool is_session_run;
static bool has_ended; /* serving and recording have ended */
static int users;      /* in a program that began with a session: open sessions, plus one for a later MPI_Init */

/* Call it before PMPI_Init. Returns the time at which the call was entered. */
static uint64_t before_init(void) {
    call_pass_on();
    unseen_dismiss();
    if (!has_begun)
        clock_start();
    return clock_now();
}

/* The scope of this thread (native/shared/subject.h), for messages that belong to no recorded collective. */
static enum subject_scope scope_of_thread(void) {
    if (!call_thread.outermost)
        return SUBJECT_OUTSIDE_CALLS;
    enum mpi_function function = call_thread.recorded_function;
    return function == FUNCTION_MPI_Start || function == FUNCTION_MPI_Startall ? SUBJECT_IN_START : SUBJECT_IN_CALL;
}

static void serve(struct run_terms terms) {
    messages_recorded = terms.records_messages;
    collective_refusal = terms.refusal;
    requests_start(terms.many_threads);
    if (terms.serves && terms.native_every)
        native_start(terms.native_every, scope_of_thread, terms.rank, terms.processes, terms.many_threads);
    __atomic_store_n(&call_serving, terms.serves, __ATOMIC_RELEASE);
}

/* Records the call that began serving, when the spool exists. begin: the time at which the collector's own start began.
 */
static void record_init(enum mpi_function function, uint64_t enter, const void *caller, uint64_t begin) {
    record_append(enter, SPOOL_ENTER, (uint16_t)function, 0, site_of_caller(caller), 0, 0);
    record_append(begin, SPOOL_OVERHEAD_BEGIN, 0, 0, 0, 0, 0);
    uint64_t end = clock_now();
    record_append(end, SPOOL_OVERHEAD_END, 0, 0, 0, 0, 0);
    record_append(end, SPOOL_LEAVE, (uint16_t)function, 0, 0, 0, 0);
}

static int after_init(int error, enum mpi_function function, uint64_t enter, const void *caller) {
    if (error == MPI_SUCCESS && is_session_run) {
        __atomic_add_fetch(&users, 1, __ATOMIC_RELAXED);
        if (__atomic_load_n(&call_serving, __ATOMIC_ACQUIRE))
            run_add_world(enter);
    }
    if (error != MPI_SUCCESS || has_begun)
        return error;
    has_begun = true;
    struct call call;
    call_occupy(&call);
    uint64_t begin = clock_now();
    struct run_terms terms = run_start(enter);
    serve(terms);
    record_init(function, enter, caller, begin);
    call_close();
    return error;
}

WRAPPER int MPI_Init(int *argc, char ***argv) {
    __typeof__(MPI_Init) *other_init = (__typeof__(MPI_Init) *)call_steps_aside("MPI_Init");
    uint64_t enter = other_init ? 0 : before_init();
    int error = (other_init ? other_init : pmpi.Init)(argc, argv);
    return other_init ? error : after_init(error, FUNCTION_MPI_Init, enter, CALLER);
}

WRAPPER int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
    __typeof__(MPI_Init_thread) *other_init = (__typeof__(MPI_Init_thread) *)call_steps_aside("MPI_Init_thread");
    uint64_t enter = other_init ? 0 : before_init();
    int error = (other_init ? other_init : pmpi.Init_thread)(argc, argv, required, provided);
    return other_init ? error : after_init(error, FUNCTION_MPI_Init_thread, enter, CALLER);
}

/* True if this finalize ends the recording. In a program that began with a session, the last finalize of all sessions
 * and of MPI_Init's world does so. */
static bool is_last(bool of_session) {
    if (!of_session && !is_session_run)
        return true;
    return __atomic_sub_fetch(&users, 1, __ATOMIC_ACQ_REL) == 0 && is_session_run;
}

/* Ends the recording if this finalize is the last one. Call it before the library's finalize. Returns true if the
 * recording has ended. */
static bool before_finalize(const struct call *call, bool of_session) {
    if (call_passed_on(call) || !is_last(of_session))
        return false;
    __atomic_store_n(&has_ended, true, __ATOMIC_RELAXED);
    native_stop();
    __atomic_store_n(&call_serving, false, __ATOMIC_RELEASE);
    /* Both run_finish_in_session and run_finish record the leave of the call. */
#if HOPSCOPE_MPI_4
    if (is_session_run)
        run_finish_in_session((int)call->function);
#endif
    if (!is_session_run)
        run_finish();
    return true;
}

static int after_finalize(struct call *call, bool last) {
    if (!last)
        return call_leave(call);
    call_close();
    if (!is_session_run)
        run_assemble();
    return call->error;
}

WRAPPER int MPI_Finalize(void) {
    struct call call;
    record_hold(false); /* resume, so that every trace contains the end of the run */
    call_enter(&call, FUNCTION_MPI_Finalize, CALLER);
    bool last = before_finalize(&call, false);
    call.error = pmpi.Finalize();
    return after_finalize(&call, last);
}

WRAPPER int MPI_Abort(MPI_Comm comm, int code) {
    struct call call;
    /* End the recording even if this is called inside another MPI call, because the process ends here. */
    call_enter(&call, FUNCTION_MPI_Abort, CALLER);
    if (!call_passed_on(&call) || __atomic_load_n(&call_serving, __ATOMIC_ACQUIRE))
        run_abort();
    return pmpi.Abort(comm, code);
}

#if HOPSCOPE_MPI_4
static pthread_mutex_t starting = PTHREAD_MUTEX_INITIALIZER;
static bool late_session_reported; /* it was reported that sessions after the end are not recorded */

/* Begins serving after the first session was opened, as after_init does after MPI_Init. */
static void begin_in_session(uint64_t enter, const void *caller) {
    has_begun = is_session_run = true;
    struct call call;
    call_occupy(&call);
    uint64_t begin = clock_now();
    struct run_terms terms = run_start_in_session();
    serve(terms);
    record_init(FUNCTION_MPI_Session_init, enter, caller, begin);
    call_close();
}

/* Counts a new session, or begins serving with it. Call it after the session's init, under the lock, if the enter of
 * that call was not recorded. */
static void after_session_init(int error, uint64_t enter, const void *caller) {
    if (error != MPI_SUCCESS)
        return;
    __atomic_add_fetch(&users, 1, __ATOMIC_RELAXED);
    if (!has_begun)
        begin_in_session(enter, caller);
    else if (__atomic_load_n(&has_ended, __ATOMIC_RELAXED) && !late_session_reported)
        run_tell_of_late_session();
    late_session_reported = __atomic_load_n(&has_ended, __ATOMIC_RELAXED);
}

WRAPPER int MPI_Session_init(MPI_Info info, MPI_Errhandler handler, MPI_Session *session) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_Session_init, CALLER);
    /* True if this call is inside another one, or if call_enter has made it the outermost wrapper; in both cases the
     * collector serves already. */
    bool is_nested = call_thread.outermost != NULL;
    if (!is_nested)
        pthread_mutex_lock(&starting);
    uint64_t enter = is_nested ? 0 : before_init();
    call.error = pmpi.Session_init(info, handler, session);
    if (!is_nested) {
        after_session_init(call.error, enter, CALLER);
        pthread_mutex_unlock(&starting);
    } else if (call.error == MPI_SUCCESS && !call_passed_on(&call)) {
        __atomic_add_fetch(&users, 1, __ATOMIC_RELAXED);
    }
    return call_leave(&call);
}

WRAPPER int MPI_Session_finalize(MPI_Session *session) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_Session_finalize, CALLER);
    bool last = before_finalize(&call, true);
    call.error = pmpi.Session_finalize(session);
    return after_finalize(&call, last);
}
#endif
