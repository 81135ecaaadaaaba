#include "wrappers/frames.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <unwind.h>

struct walk {
    const void *ours; /* base address of this library */
    uintptr_t wanted;
    bool outside; /* past the frames of the asking wrapper */
    bool last_is_ours;
    enum frames found;
};

static const void *object_of(const void *code) {
    Dl_info info;
    return dladdr(code, &info) != 0 ? info.dli_fbase : NULL;
}

/* The walk gives each frame's return address and its lower end. Between two wrappers there is always a foreign frame:
 * the MPI library's or a callback's. */
static _Unwind_Reason_Code look(struct _Unwind_Context *frame, void *opaque) {
    struct walk *walk = opaque;
    uintptr_t end = _Unwind_GetCFA(frame);
    /* Look at the call, not the next instruction: a call may be the last instruction of its function. */
    bool ours = object_of((const void *)(_Unwind_GetIP(frame) - 1)) == walk->ours;
    if (!walk->outside && ours)
        return _URC_NO_REASON;
    if (end > walk->wanted) {
        walk->found = walk->outside && walk->last_is_ours ? FRAMES_THERE : FRAMES_LEFT;
        return _URC_END_OF_STACK;
    }
    walk->outside = true;
    walk->last_is_ours = ours;
    return _URC_NO_REASON;
}

enum frames frames_find(uintptr_t address) {
    struct walk walk = {.ours = object_of((const void *)(uintptr_t)frames_find), .wanted = address};
    if (walk.ours)
        _Unwind_Backtrace(look, &walk);
    return walk.found;
}
