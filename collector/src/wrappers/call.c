#include "wrappers/call.h"

#include <stdlib.h>

#include "log/log.h"
#include "mpi/step_aside.h"
#include "native/shared/native.h"
#include "record/own_stack.h"
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

/* True if the frame still has its mark. The frame may be gone and its memory reused, so this reads memory that the
 * address sanitizer would refuse. */
__attribute__((no_sanitize("address"))) static bool is_marked(const struct call *call) {
    return *(const volatile uint64_t *)&call->mark == call_mark(call);
}

bool call_abandoned(uintptr_t frame) {
    const struct call *old = call_thread.outermost;
    /* Stacks grow downwards, so a wrapper that is called inside another one has a lower address. A program's own stacks
     * (coroutines, fibers) have no known bounds; there the outer call counts as running. */
    own_stack_find();
    if (!own_stack_has((uintptr_t)old) || !own_stack_has(frame))
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
