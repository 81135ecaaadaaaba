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
    /* There is no MPI function to which the call could be passed on, so the program would also fail without the
     * preload. */
    log_line("%s", message);
    abort();
}

void *call_steps_aside(const char *name) {
    char message[256];
    if (mpi_table_resolve(message, sizeof message))
        return NULL;
    unseen_dismiss(); /* so that the reason, which step_aside reports, is not reported twice */
    return step_aside(name, message);
}

/* True if the memory of a wrapper's frame still has the wrapper's mark. The address sanitizer would report this read,
 * because the frame may be gone and its memory reused. */
__attribute__((no_sanitize("address"))) static bool is_marked(const struct call *call) {
    return *(const volatile uint64_t *)&call->mark == call_mark(call);
}

bool call_abandoned(uintptr_t frame) {
    const struct call *old = call_thread.outermost;
    /* Stacks grow downwards, so the frame of a wrapper that is called inside another one has a lower address. On stacks
     * that the program allocated (coroutines, fibers) this cannot be judged, so the outer call counts as running. */
    own_stack_find();
    if (!own_stack_has((uintptr_t)old) || !own_stack_has(frame))
        return false;
    /* The mark alone proves nothing: a destructor that runs because of an exception may call this wrapper while the
     * memory of the abandoned frame is still unchanged. So walk the stack too. */
    if (frame < (uintptr_t)old && is_marked(old) && frames_find((uintptr_t)old) != FRAMES_LEFT)
        return false;
    if (call_thread.recorded_function) {
        /* The time at which the call was left is unknown, so it ends at this thread's last record. */
        const struct spool_record *last = record_last();
        record_append(last ? last->ticks : clock_now(), SPOOL_LEAVE, (uint16_t)call_thread.recorded_function, 0, 0, 0,
                      0);
    }
    native_end();
    call_close();
    return true;
}
