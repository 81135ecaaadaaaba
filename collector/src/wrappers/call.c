#include "wrappers/call.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "log/log.h"
#include "mpi/step_aside.h"
#include "run/unseen.h"
#include "wrappers/frames.h"

_Thread_local struct call_thread call_thread __attribute__((tls_model("initial-exec")));
bool call_serving;

void call_pass_on(void) {
    char message[256];
    if (mpi_table_resolve(message, sizeof message))
        return;
    /* There is no function to pass the call on to; without the preload this program would not have come here. */
    log_line("%s", message);
    abort();
}

void *call_steps_aside(const char *name) {
    char message[256];
    if (mpi_table_resolve(message, sizeof message))
        return NULL;
    unseen_not(); /* step_aside says why */
    return step_aside(name, message);
}

struct stack {
    uintptr_t low, high; /* high 0: not asked for yet */
};

static _Thread_local struct stack own_stack;

/* Asking costs a look at the process's mappings, once a thread, and only for a call inside another one. */
static struct stack find_own_stack(void) {
    pthread_attr_t attributes;
    void *low;
    size_t bytes;
    if (own_stack.high)
        return own_stack;
    int kept = errno;
    own_stack.high = 1; /* nothing lies in it */
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        if (pthread_attr_getstack(&attributes, &low, &bytes) == 0)
            own_stack = (struct stack){(uintptr_t)low, (uintptr_t)low + bytes};
        pthread_attr_destroy(&attributes);
    }
    errno = kept;
    return own_stack;
}

static bool lies_in(struct stack stack, uintptr_t address) {
    return address >= stack.low && address < stack.high;
}

/* Of a frame that may be gone: what lies there now is anybody's. */
__attribute__((no_sanitize("address"))) static bool is_marked(const struct call *call) {
    return *(const volatile uint64_t *)&call->mark == call_mark(call);
}

bool call_abandoned(uintptr_t now) {
    const struct call *old = call_thread.outermost;
    /* Stacks grow downwards, so a wrapper that is called from inside another lies below it. Programs may bring stacks
     * of their own (coroutines, fibers), of which nothing of the kind is known: there the other one goes on. */
    struct stack stack = find_own_stack();
    if (!lies_in(stack, (uintptr_t)old) || !lies_in(stack, now))
        return false;
    /* Destructors that run because of an exception are called from where the frame that was left began, and may find it
     * as it was. */
    if (now < (uintptr_t)old && is_marked(old) && frames_find((uintptr_t)old) != FRAMES_LEFT)
        return false;
    if (call_thread.entered) {
        /* When it was left nobody knows; the last that was heard of it is sure. */
        const struct spool_record *last = record_last();
        record_append(last ? last->ticks : clock_now(), SPOOL_LEAVE, (uint16_t)call_thread.entered, 0, 0, 0, 0);
    }
    call_close();
    return true;
}
