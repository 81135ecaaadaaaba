#include "wrappers/frames.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <unwind.h>

struct walk {
    const void *library; /* base address of the collector's library */
    uintptr_t address;
    bool has_left_caller; /* the walk has passed the frames of the calling wrapper */
    bool last_is_ours;
    enum frames outcome;
};

static const void *object_of(const void *code) {
    Dl_info info;
    return dladdr(code, &info) != 0 ? info.dli_fbase : NULL;
}

/* Visits one frame of the stack, from the innermost outwards. First skips the frames of the calling wrapper. After a
 * foreign frame (of the MPI library or of a callback), a frame of the collector belongs to another wrapper. */
static _Unwind_Reason_Code visit_frame(struct _Unwind_Context *frame, void *opaque) {
    struct walk *walk = opaque;
    uintptr_t end = _Unwind_GetCFA(frame);
    /* Take the address of the call, not of the next instruction, which may belong to another function. */
    bool is_ours = object_of((const void *)(_Unwind_GetIP(frame) - 1)) == walk->library;
    if (!walk->has_left_caller && is_ours)
        return _URC_NO_REASON;
    if (end > walk->address) {
        walk->outcome = walk->has_left_caller && walk->last_is_ours ? FRAMES_THERE : FRAMES_LEFT;
        return _URC_END_OF_STACK;
    }
    walk->has_left_caller = true;
    walk->last_is_ours = is_ours;
    return _URC_NO_REASON;
}

enum frames frames_find(uintptr_t address) {
    struct walk walk = {.library = object_of((const void *)(uintptr_t)frames_find), .address = address};
    if (walk.library)
        _Unwind_Backtrace(visit_frame, &walk);
    return walk.outcome;
}
