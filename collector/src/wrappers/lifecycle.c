/* MPI_Init, MPI_Init_thread, MPI_Finalize, MPI_Abort: where serving begins and ends. In a program that has called
 * MPI_Init, sessions are ordinary calls; in any other the first one begins serving and the last one ends it. */
#include <pthread.h>

#include "native/shared/native.h"
#include "run/run.h"
#include "run/unseen.h"
#include "wrappers/call.h"
#include "wrappers/collective.h"
#include "wrappers/message.h"
#include "wrappers/requests.h"

static bool began;
static bool began_in_session;
static bool ended; /* and the recording with it */
static int users;  /* if a session began: open sessions, plus one for an MPI_Init */

/* Before PMPI_Init: the timestamp of entering the call. */
static uint64_t before_init(void) {
    call_pass_on();
    unseen_not();
    if (!began)
        clock_start();
    return clock_now();
}

static void serve(struct run_terms terms) {
    messages_recorded = terms.records_messages;
    collective_refusal = terms.refusal;
    requests_start(terms.many_threads);
    if (terms.serves && terms.native_every)
        native_start(terms.native_every, terms.rank, terms.processes, terms.many_threads);
    __atomic_store_n(&call_serving, terms.serves, __ATOMIC_RELEASE);
}

static int after_init(int error, enum mpi_function function, uint64_t enter, const void *caller) {
    if (error == MPI_SUCCESS && began_in_session) {
        __atomic_add_fetch(&users, 1, __ATOMIC_RELAXED);
        if (__atomic_load_n(&call_serving, __ATOMIC_ACQUIRE))
            run_add_world(enter);
    }
    if (error != MPI_SUCCESS || began)
        return error;
    began = true;
    struct call call;
    call_occupy(&call);
    struct run_terms terms = run_start(enter);
    /* There was no spool before this point. */
    record_append(enter, SPOOL_ENTER, (uint16_t)function, 0, site_of_caller(caller), 0, 0);
    serve(terms);
    record_append(clock_now(), SPOOL_LEAVE, (uint16_t)function, 0, 0, 0, 0);
    call_close();
    return error;
}

WRAPPER int MPI_Init(int *argc, char ***argv) {
    __typeof__(MPI_Init) *others = (__typeof__(MPI_Init) *)call_steps_aside("MPI_Init");
    uint64_t enter = others ? 0 : before_init();
    int error = (others ? others : pmpi.Init)(argc, argv);
    return others ? error : after_init(error, FUNCTION_MPI_Init, enter, CALLER);
}

WRAPPER int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
    __typeof__(MPI_Init_thread) *others = (__typeof__(MPI_Init_thread) *)call_steps_aside("MPI_Init_thread");
    uint64_t enter = others ? 0 : before_init();
    int error = (others ? others : pmpi.Init_thread)(argc, argv, required, provided);
    return others ? error : after_init(error, FUNCTION_MPI_Init_thread, enter, CALLER);
}

/* Whether this finalize ends the recording. If a session began it, each session and the world count, and the last of
 * them ends it. */
static bool is_last(bool of_session) {
    if (!of_session && !began_in_session)
        return true;
    return __atomic_sub_fetch(&users, 1, __ATOMIC_ACQ_REL) == 0 && began_in_session;
}

/* Call it before the library's finalize. True if the recording ends with it. */
static bool before_finalize(const struct call *call, bool of_session) {
    if (call_passed_on(call) || !is_last(of_session))
        return false;
    __atomic_store_n(&ended, true, __ATOMIC_RELAXED);
    native_stop();
    __atomic_store_n(&call_serving, false, __ATOMIC_RELEASE);
    /* Both record the leave. */
#if HOPSCOPE_MPI_4
    if (began_in_session)
        run_finish_in_session((int)call->function);
#endif
    if (!began_in_session)
        run_finish();
    return true;
}

static int after_finalize(struct call *call, bool last) {
    if (!last)
        return call_leave(call);
    call_close();
    if (!began_in_session)
        run_assemble();
    return call->error;
}

WRAPPER int MPI_Finalize(void) {
    struct call call;
    record_hold(false); /* every trace contains the end of the run */
    call_enter(&call, FUNCTION_MPI_Finalize, CALLER);
    bool last = before_finalize(&call, false);
    call.error = pmpi.Finalize();
    return after_finalize(&call, last);
}

WRAPPER int MPI_Abort(MPI_Comm comm, int code) {
    struct call call;
    /* Even inside a callback: this is the last thing the process does. */
    call_enter(&call, FUNCTION_MPI_Abort, CALLER);
    if (!call_passed_on(&call) || __atomic_load_n(&call_serving, __ATOMIC_ACQUIRE))
        run_abort();
    return pmpi.Abort(comm, code);
}

#if HOPSCOPE_MPI_4
static pthread_mutex_t starting = PTHREAD_MUTEX_INITIALIZER;
static bool late_told; /* the user was told that sessions after the end are not recorded */

/* After the first session, if nothing has begun yet: like after_init. */
static void begin_in_session(uint64_t enter, const void *caller) {
    began = began_in_session = true;
    struct call call;
    call_occupy(&call);
    struct run_terms terms = run_start_in_session();
    record_append(enter, SPOOL_ENTER, FUNCTION_MPI_Session_init, 0, site_of_caller(caller), 0, 0);
    serve(terms);
    record_append(clock_now(), SPOOL_LEAVE, FUNCTION_MPI_Session_init, 0, 0, 0, 0);
    call_close();
}

/* After a session that entered here, under the lock, while nothing was recorded. */
static void after_session_init(int error, uint64_t enter, const void *caller) {
    if (error != MPI_SUCCESS)
        return;
    __atomic_add_fetch(&users, 1, __ATOMIC_RELAXED);
    if (!began)
        begin_in_session(enter, caller);
    else if (__atomic_load_n(&ended, __ATOMIC_RELAXED) && !late_told)
        run_tell_of_late_session();
    late_told = __atomic_load_n(&ended, __ATOMIC_RELAXED);
}

WRAPPER int MPI_Session_init(MPI_Info info, MPI_Errhandler handler, MPI_Session *session) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_Session_init, CALLER);
    bool inside = call_thread.outermost != NULL; /* of this call, or of another one */
    if (!inside)
        pthread_mutex_lock(&starting);
    uint64_t enter = inside ? 0 : before_init();
    call.error = pmpi.Session_init(info, handler, session);
    if (!inside) {
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
