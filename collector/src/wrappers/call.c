#include "wrappers/call.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "log/log.h"
#include "mpi/step_aside.h"
#include "native/shared/native.h"
#include "run/unseen.h"
#include "wrappers/frames.h"

bool call_serving;

void call_pass_on(void) {
    char message[256];
    if (mpi_table_resolve(message, sizeof message))
        return;
    /* There is no function to which the call could be passed on. The program would also fail without the preload. */
    log_line("%s", message);
    abort();
}

void *call_steps_aside(const char *name) {
    char message[256];
    if (mpi_table_resolve(message, sizeof message))
        return NULL;
    unseen_dismiss(); /* step_aside reports the reason */
    return step_aside(name, message);
}

struct stack {
    uintptr_t low, high; /* high 0: not looked up yet */
};

static _Thread_local struct stack own_stack;

/* Finds this thread's stack. It reads the process's mappings, so it runs once per thread, and only for a call inside
 * another one. */
static struct stack find_own_stack(void) {
    pthread_attr_t attributes;
    void *low;
    size_t bytes;
    if (own_stack.high)
        return own_stack;
    int saved_errno = errno;
    own_stack.high = 1; /* an empty range */
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        if (pthread_attr_getstack(&attributes, &low, &bytes) == 0)
            own_stack = (struct stack){(uintptr_t)low, (uintptr_t)low + bytes};
        pthread_attr_destroy(&attributes);
    }
    errno = saved_errno;
    return own_stack;
}

static bool lies_in(struct stack stack, uintptr_t address) {
    return address >= stack.low && address < stack.high;
}

/* True if the frame still has its mark. The frame may be gone and its memory reused, so this reads memory that the
 * address sanitizer would refuse. */
__attribute__((no_sanitize("address"))) static bool is_marked(const struct call *call) {
    return *(const volatile uint64_t *)&call->mark == call_mark(call);
}

bool call_abandoned(uintptr_t frame) {
    const struct call *old = call_thread.outermost;
    /* Stacks grow downwards, so a wrapper that is called inside another one has a lower address. A program's own stacks
     * (coroutines, fibers) have no known bounds; there the outer call counts as running. */
    struct stack stack = find_own_stack();
    if (!lies_in(stack, (uintptr_t)old) || !lies_in(stack, frame))
        return false;
    /* Destructors that run because of an exception begin at the position of the frame that was left, so they may find
     * its memory unchanged. */
    if (frame < (uintptr_t)old && is_marked(old) && frames_find((uintptr_t)old) != FRAMES_LEFT)
        return false;
    if (call_thread.recorded_function) {
        /* Nobody knows when the call was left, so it ends at this thread's last record. */
        const struct spool_record *last = record_last();
        record_append(last ? last->ticks : clock_now(), SPOOL_LEAVE, (uint16_t)call_thread.recorded_function, 0, 0, 0,
                      0);
    }
    native_end();
    call_close();
    return true;
}
