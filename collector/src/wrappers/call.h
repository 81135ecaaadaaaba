/* Enter and leave: the steps that every wrapper makes before and after it calls the PMPI function.
 *
 * Only a thread's outermost wrapper records a call. Calls that the MPI library, a callback of the application or
 * another tool makes inside it are only passed on, and so are all calls before MPI_Init and after MPI_Finalize. A
 * wrapper runs the same code when it only passes a call on: the enter marks the call so, and the leave then returns the
 * error without recording. Code between the two that changes anything must check call_passed_on first.
 *
 * A C++ exception or longjmp out of an error handler or callback of the application skips the end of a wrapper. The
 * next wrapper detects this and ends the skipped wrapper's call. */
#ifndef HOPSCOPE_CALL_H
#define HOPSCOPE_CALL_H

#include "comm/comm.h"
#include "hopscope/functions.h"
#include "mpi/mpi_table.h"
#include "python/site.h"
#include "record/hold.h"
#include "record/record.h"
#include "record/whole_call.h"
#include "run/core_samples.h"

/* WRAPPER marks a wrapper's definition of an MPI function. CALLER, inside a wrapper, identifies the call site in the
 * application (see CALL_FRAME). It is valid while the wrapper runs. */
#define WRAPPER __attribute__((visibility("default")))
#define CALLER call_caller(CALL_FRAME)

struct call {
    uint64_t mark;              /* a special value while the wrapper is running, see call_abandoned */
    enum mpi_function function; /* FUNCTION_NONE: the call is only passed on */
    int error;                  /* returned by the MPI function */
    uint32_t site;
    uint64_t enter; /* ticks */
    /* For collectives: */
    struct comm *comm; /* NULL: unknown to the collector */
    uint64_t seq;
    uint64_t root;   /* the value in the records, see collective_root() */
    uint32_t reason; /* id of the reason why the call ran natively although a tree was requested; 0: no such reason */
    bool by_engine;
    int tag; /* for a nonblocking or persistent collective: the tag of the library's messages; 0: unknown */
};

struct call_thread {
    const struct call *outermost;        /* the call of this thread's outermost wrapper; NULL: it is in no wrapper */
    enum mpi_function recorded_function; /* the function of the outermost wrapper, if its enter is recorded */
    /* The leave of the pair of records that unsuccessful tests and probes share (completions.h). The pair exists from
     * the first poll on and is updated in place. So even if the program is killed or hangs, its last poll is in the
     * spool. NULL: the thread does not poll. */
    struct spool_record *poll_leave;
    struct spool_record *poll_last; /* the thread's last record after its last poll: poll_leave, or a hop in a poll */
    uint32_t poll_chunk;            /* the value of record_cursor.changes at that time */
    uint64_t poll_window;           /* ticks of the first poll of the pair */
    uint64_t poll_begin;            /* ticks of the first poll after the last pause */
    uint64_t poll_slept;            /* ticks slept since the last poll */
    /* The CALL_FRAME of a Fortran entry. It is set while the MPI library's Fortran binding runs, which calls a C
     * wrapper. */
    const void *fortran_caller;
};

extern _Thread_local struct call_thread call_thread __attribute__((tls_model("initial-exec")));

/* True between the end of MPI_Init and the beginning of MPI_Finalize. */
extern bool call_serving;

static inline const void *call_caller(const void *frame) {
    const void *fortran = call_thread.fortran_caller;
    return fortran ? fortran : frame;
}

/* Looks up the PMPI functions. Ends the process with a message if there are none. */
void call_pass_on(void);
/* Call it at the beginning of MPI_Init or MPI_Init_thread, with the function's name. Usually returns NULL. If this
 * preload was built for another MPI library than the program's, returns the library's function, to call instead. No
 * further call then reaches the collector. */
void *call_steps_aside(const char *name);

static inline uint64_t call_mark(const struct call *call) {
    return (uint64_t)(uintptr_t)call ^ 0x9E3779B97F4A7C15u;
}

/* Call it in a wrapper that seems to run inside another one. frame: the address of the calling wrapper's frame. Returns
 * true if the program has already left the other wrapper by an exception or longjmp, and then ends that wrapper's call.
 */
bool call_abandoned(uintptr_t frame);

static inline void call_occupy(struct call *call) {
    call->mark = call_mark(call);
    call_thread.outermost = call;
    call_thread.recorded_function = FUNCTION_NONE;
}

static inline bool call_passed_on(const struct call *call) {
    return __builtin_expect(call->function == FUNCTION_NONE, 0);
}

/* True if the call that is entered now may be recorded. */
static inline bool call_is_outermost(const struct call *call) {
    if (__builtin_expect(!__atomic_load_n(&call_serving, __ATOMIC_ACQUIRE), 0)) {
        call_pass_on();
        return false;
    }
    return __builtin_expect(call_thread.outermost == NULL, 1) || call_abandoned((uintptr_t)call);
}

/* Begins a call without recording its enter. False if the call is only passed on. */
static inline bool call_open(struct call *call, enum mpi_function function, const void *caller) {
    if (!call_is_outermost(call)) {
        call->function = FUNCTION_NONE;
        return false;
    }
    call_occupy(call);
    call->function = function;
    if (__builtin_expect(record_begin(), 1)) {
        call->site = site_of_caller(caller);
        call->enter = clock_now();
    } else {
        call->site = 0;
        call->enter = 0;
    }
    return true;
}

static inline void call_close(void) {
    call_thread.outermost = NULL;
}

/* Closes a call whose leave is recorded. in_mpi: ticks that the call adds to the thread's time in MPI. */
static inline void call_close_at(uint64_t leave, uint64_t in_mpi) {
    call_close();
    core_sampler.in_mpi += in_mpi;
    core_sample_if_due(leave);
}

/* Records the enter of an open call. kind: one of the ENTER kinds; comm, b, c: its fields (hopscope/spool.h). */
static inline void call_record_enter(const struct call *call, enum spool_kind kind, uint32_t comm, uint64_t b,
                                     uint64_t c) {
    call_thread.recorded_function = call->function;
    whole_call_begin();
    record_append(call->enter, kind, (uint16_t)call->function, comm, call->site, b, c);
}

static inline void call_enter(struct call *call, enum mpi_function function, const void *caller) {
    if (call_open(call, function, caller))
        call_record_enter(call, SPOOL_ENTER_BARE, 0, 0, 0);
}

/* Ends a call that is recorded. Returns call->error, which the wrapper returns. */
static inline int call_leave_at(struct call *call, uint64_t ticks) {
    whole_call_leave(ticks, (uint16_t)call->function);
    call_close_at(ticks, ticks - call->enter);
    return call->error;
}

/* Ends a call, recorded or only passed on. Returns the error that the wrapper returns. */
static inline int call_leave(struct call *call) {
    return call_passed_on(call) ? call->error : call_leave_at(call, clock_now());
}

/* Ends a collective that the MPI library refused. */
static inline int call_leave_refused(struct call *call, uint64_t ticks) {
    record_append(ticks, SPOOL_LEAVE, (uint16_t)call->function, 0, 0, 0, SPOOL_REFUSED);
    call_close();
    return call->error;
}

#endif
