/* MPI_Init, MPI_Init_thread, MPI_Finalize, MPI_Abort: where serving begins and ends. Sessions are calls like others in
 * a program that has called MPI_Init before; in any other the first one begins it and the last one ends it. */
#include <pthread.h>

#include "run/run.h"
#include "run/unseen.h"
#include "wrappers/call.h"

static bool began;
static bool began_in_session;
static bool ended; /* and the recording with it */
static int users;  /* then: open sessions, and what MPI_Init has begun besides */

/* Before PMPI_Init: the stamp at which the call was entered. */
static uint64_t before_init(void) {
    call_pass_on();
    unseen_not();
    if (!began)
        clock_start();
    return clock_now();
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
    bool serving = run_start(enter);
    /* There was no spool before this point. */
    record_append(enter, SPOOL_ENTER, (uint16_t)function, 0, call_site_id(caller), 0, 0);
    record_append(clock_now(), SPOOL_LEAVE, (uint16_t)function, 0, 0, 0, 0);
    __atomic_store_n(&call_serving, serving, __ATOMIC_RELEASE);
    call_close();
    return error;
}

WRAPPER int MPI_Init(int *argc, char ***argv) {
    __typeof__(MPI_Init) *others = (__typeof__(MPI_Init) *)call_steps_aside("MPI_Init");
    if (others)
        return others(argc, argv);
    uint64_t enter = before_init();
    return after_init(pmpi.Init(argc, argv), FUNCTION_MPI_Init, enter, CALLER);
}

WRAPPER int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
    __typeof__(MPI_Init_thread) *others = (__typeof__(MPI_Init_thread) *)call_steps_aside("MPI_Init_thread");
    if (others)
        return others(argc, argv, required, provided);
    uint64_t enter = before_init();
    return after_init(pmpi.Init_thread(argc, argv, required, provided), FUNCTION_MPI_Init_thread, enter, CALLER);
}

#if HOPSCOPE_MPI_SESSIONS
/* Of a session, or (NULL) of what MPI_Init had begun. The last of them ends the recording that a session began. */
static int leave_finalize(struct call *call, MPI_Session *session) {
    bool last = __atomic_sub_fetch(&users, 1, __ATOMIC_ACQ_REL) == 0 && began_in_session;
    if (last) {
        __atomic_store_n(&ended, true, __ATOMIC_RELAXED);
        __atomic_store_n(&call_serving, false, __ATOMIC_RELEASE);
        run_finish_in_session((int)call->function); /* records the leave */
    }
    call->error = session ? pmpi.Session_finalize(session) : pmpi.Finalize();
    if (!last)
        return call_leave(call);
    call_close();
    return call->error;
}
#endif

WRAPPER int MPI_Finalize(void) {
    struct call call;
    record_hold(false); /* the end of the run is in every trace */
    if (!call_enter(&call, FUNCTION_MPI_Finalize, CALLER))
        return pmpi.Finalize();
#if HOPSCOPE_MPI_SESSIONS
    if (began_in_session)
        return leave_finalize(&call, NULL);
#endif
    __atomic_store_n(&ended, true, __ATOMIC_RELAXED);
    __atomic_store_n(&call_serving, false, __ATOMIC_RELEASE);
    run_finish(); /* records the leave */
    call.error = pmpi.Finalize();
    call_close();
    run_assemble();
    return call.error;
}

WRAPPER int MPI_Abort(MPI_Comm comm, int code) {
    struct call call;
    /* Also from inside a callback: it is the last thing this process does. */
    bool recording = call_enter(&call, FUNCTION_MPI_Abort, CALLER);
    if (recording || __atomic_load_n(&call_serving, __ATOMIC_ACQUIRE))
        run_abort();
    return pmpi.Abort(comm, code);
}

#if HOPSCOPE_MPI_SESSIONS
static pthread_mutex_t starting = PTHREAD_MUTEX_INITIALIZER;
static bool late_told; /* that what begins after the end is not recorded */

/* After the first one, if nothing has begun yet: as after_init. */
static void begin_in_session(uint64_t enter, const void *caller) {
    began = began_in_session = true;
    struct call call;
    call_occupy(&call);
    bool serving = run_start_in_session();
    record_append(enter, SPOOL_ENTER, FUNCTION_MPI_Session_init, 0, call_site_id(caller), 0, 0);
    record_append(clock_now(), SPOOL_LEAVE, FUNCTION_MPI_Session_init, 0, 0, 0, 0);
    __atomic_store_n(&call_serving, serving, __ATOMIC_RELEASE);
    call_close();
}

WRAPPER int MPI_Session_init(MPI_Info info, MPI_Errhandler handler, MPI_Session *session) {
    struct call call;
    if (call_enter(&call, FUNCTION_MPI_Session_init, CALLER)) {
        call.error = pmpi.Session_init(info, handler, session);
        if (call.error == MPI_SUCCESS)
            __atomic_add_fetch(&users, 1, __ATOMIC_RELAXED);
        return call_leave(&call);
    }
    if (call_thread.outermost)
        return pmpi.Session_init(info, handler, session);
    pthread_mutex_lock(&starting);
    uint64_t enter = before_init();
    int error = pmpi.Session_init(info, handler, session);
    if (error == MPI_SUCCESS) {
        __atomic_add_fetch(&users, 1, __ATOMIC_RELAXED);
        if (!began)
            begin_in_session(enter, CALLER);
        else if (__atomic_load_n(&ended, __ATOMIC_RELAXED) && !late_told)
            run_tell_of_late_session();
        late_told = __atomic_load_n(&ended, __ATOMIC_RELAXED);
    }
    pthread_mutex_unlock(&starting);
    return error;
}

WRAPPER int MPI_Session_finalize(MPI_Session *session) {
    struct call call;
    if (!call_enter(&call, FUNCTION_MPI_Session_finalize, CALLER))
        return pmpi.Session_finalize(session);
    return leave_finalize(&call, session);
}
#endif
