/* MPI_Init, MPI_Init_thread, MPI_Finalize, MPI_Abort: where serving begins and ends. Sessions are calls like others in
 * a program that calls MPI_Init too; one that does not is left alone, and told so at the end of its first session. */
#include "log/log.h"
#include "presence/job.h"
#include "run/run.h"
#include "wrappers/call.h"

static bool began;

/* Before PMPI_Init: the stamp at which the call was entered. */
static uint64_t before_init(void) {
    call_pass_on();
    if (!began)
        clock_start();
    return clock_now();
}

static int after_init(int error, enum mpi_function function, uint64_t enter, const void *caller) {
    if (error != MPI_SUCCESS || began)
        return error;
    began = true;
    call_thread.depth = 1;
    bool serving = run_start();
    /* There was no spool before this point. */
    record_append(enter, SPOOL_ENTER, (uint16_t)function, 0, call_site_id(caller), 0, 0);
    record_append(clock_now(), SPOOL_LEAVE, (uint16_t)function, 0, 0, 0, 0);
    __atomic_store_n(&call_serving, serving, __ATOMIC_RELEASE);
    call_thread.depth = 0;
    return error;
}

WRAPPER int MPI_Init(int *argc, char ***argv) {
    uint64_t enter = before_init();
    return after_init(pmpi.Init(argc, argv), FUNCTION_MPI_Init, enter, CALLER);
}

WRAPPER int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
    uint64_t enter = before_init();
    return after_init(pmpi.Init_thread(argc, argv, required, provided), FUNCTION_MPI_Init_thread, enter, CALLER);
}

WRAPPER int MPI_Finalize(void) {
    struct call call;
    if (!call_enter(&call, FUNCTION_MPI_Finalize, CALLER))
        return pmpi.Finalize();
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
WRAPPER int MPI_Session_init(MPI_Info info, MPI_Errhandler handler, MPI_Session *session) {
    struct call call;
    if (!call_enter(&call, FUNCTION_MPI_Session_init, CALLER))
        return pmpi.Session_init(info, handler, session);
    call.error = pmpi.Session_init(info, handler, session);
    return call_leave(&call);
}

static void tell_what_is_missed(void) {
    static bool told;
    if (!began && !__atomic_exchange_n(&told, true, __ATOMIC_RELAXED) && job_first_rank())
        log_line("this program has used MPI by MPI_Session_init without MPI_Init: of that nothing was recorded");
}

WRAPPER int MPI_Session_finalize(MPI_Session *session) {
    struct call call;
    if (!call_enter(&call, FUNCTION_MPI_Session_finalize, CALLER)) {
        tell_what_is_missed();
        return pmpi.Session_finalize(session);
    }
    call.error = pmpi.Session_finalize(session);
    return call_leave(&call);
}
#endif
