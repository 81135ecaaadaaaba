/* What every wrapper does around the PMPI call: enter and leave.
 *
 * Only the outermost wrapper of a thread records: an MPI library, a callback of the application or another tool may
 * call MPI functions from inside one. Before MPI_Init and after MPI_Finalize wrappers only pass the call on.
 *
 * A wrapper that is left by a C++ exception or a longjmp, out of an error handler or a callback of the application,
 * does not come to its end. The next one finds that out, and ends it for it.
 */
#ifndef HOPSCOPE_CALL_H
#define HOPSCOPE_CALL_H

#include "comm/comm.h"
#include "hopscope/functions.h"
#include "mpi/mpi_table.h"
#include "record/call_site.h"
#include "record/hold.h"
#include "record/record.h"
#include "record/whole_call.h"

/* A wrapper's own definition of an MPI function; and the place in the application that called it. */
#define WRAPPER __attribute__((visibility("default")))
#define CALLER call_caller(__builtin_return_address(0))

struct call {
    uint64_t mark; /* while the wrapper whose frame this lies in has not been left */
    enum mpi_function function;
    int error; /* what the MPI function returned */
    uint32_t site;
    uint64_t enter; /* ticks */
    /* Of a collective: */
    struct comm *comm; /* NULL: unknown to the collector */
    uint64_t seq;
    uint64_t root;   /* as in the records */
    uint32_t reason; /* why it went native although a tree was asked for; 0: no such reason */
    bool by_engine;
};

struct call_thread {
    const struct call *outermost; /* of the wrapper that this thread is in; NULL: in none */
    enum mpi_function entered;    /* its function, if its enter is recorded */
    /* Failing tests and probes of one place in quick succession are one record pair: polls would flood the spool. The
     * pair is there from the first of them, and its leave moves on in place: a killed or hanging program's last poll
     * can be read. NULL: not polling. */
    struct spool_record *poll_leave;
    uint32_t poll_chunk; /* record_cursor.changes when it was written */
    enum mpi_function poll_function;
    uint32_t poll_site;
    /* Where a Fortran program called, while the MPI library's Fortran binding makes a C call of it. */
    const void *fortran_caller;
};

extern _Thread_local struct call_thread call_thread __attribute__((tls_model("initial-exec")));

/* True between the end of MPI_Init and the beginning of MPI_Finalize. */
extern bool call_serving;

static inline const void *call_caller(const void *return_address) {
    const void *fortran = call_thread.fortran_caller;
    return fortran ? fortran : return_address;
}

/* Makes sure that the PMPI functions are known; the process ends with a sentence if there are none to call. */
void call_pass_on(void);
/* In MPI_Init and MPI_Init_thread, by their names: NULL as a rule. Where the program's MPI library is another one than
 * this preload's, the function that the call shall go to; no other call comes here then. */
void *call_steps_aside(const char *name);

static inline uint64_t call_mark(const struct call *call) {
    return (uint64_t)(uintptr_t)call ^ 0x9E3779B97F4A7C15u;
}

/* In a wrapper whose frame is at this address, inside another one, it seems. True if that one has been left without
 * coming to its end; it is ended here. */
bool call_abandoned(uintptr_t now);

static inline void call_occupy(struct call *call) {
    call->mark = call_mark(call);
    call_thread.outermost = call;
    call_thread.entered = FUNCTION_NONE;
}

/* The common beginning. False: the wrapper passes the call on and does nothing else. Records nothing yet. */
static inline bool call_open(struct call *call, enum mpi_function function, const void *caller) {
    if (__builtin_expect(!__atomic_load_n(&call_serving, __ATOMIC_ACQUIRE), 0)) {
        call_pass_on();
        return false;
    }
    if (__builtin_expect(call_thread.outermost != NULL, 0) && !call_abandoned((uintptr_t)call))
        return false;
    call_occupy(call);
    call->function = function;
    if (__builtin_expect(record_begin(), 1)) {
        call->site = call_site_id(caller);
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

/* The enter of a call that is open now, of one of the kinds of ENTER, with the fields that this kind has. */
static inline void call_record_enter(const struct call *call, enum spool_kind kind, uint32_t comm, uint64_t b,
                                     uint64_t c) {
    call_thread.entered = call->function;
    whole_call_begin();
    record_append(call->enter, kind, (uint16_t)call->function, comm, call->site, b, c);
}

static inline bool call_enter(struct call *call, enum mpi_function function, const void *caller) {
    if (!call_open(call, function, caller))
        return false;
    call_record_enter(call, SPOOL_ENTER_BARE, 0, 0, 0);
    return true;
}

/* Returns call->error, so that a wrapper can end with it. */
static inline int call_leave_at(struct call *call, uint64_t ticks) {
    whole_call_leave(ticks, (uint16_t)call->function);
    call_close();
    return call->error;
}

static inline int call_leave(struct call *call) {
    return call_leave_at(call, clock_now());
}

/* The leave of a collective that the MPI library refused. */
static inline int call_leave_refused(struct call *call, uint64_t ticks) {
    record_append(ticks, SPOOL_LEAVE, (uint16_t)call->function, 0, 0, 0, SPOOL_REFUSED);
    call_close();
    return call->error;
}

#endif
