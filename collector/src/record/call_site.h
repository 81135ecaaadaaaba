/* Call sites: the places in the program that call MPI functions, each with the calls that led there.
 *
 * A call site is told by up to CALL_SITE_DEPTH return addresses: the wrapper's, its caller's and so on. The chain ends
 * early where the unwind table has no simple rule, and before code that the program did not call itself: a caller in
 * another library than the code that it calls, unless it is the program. Whether callers matter is decided when the
 * archive is assembled. */
#ifndef HOPSCOPE_CALL_SITE_H
#define HOPSCOPE_CALL_SITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/own_stack.h"

/* Two words of the function that evaluates it: its caller's frame pointer and its return address. On x86-64 the
 * caller's stack begins behind them; nowhere else are callers followed. */
#if defined(__x86_64__)
#define CALL_FRAME ((const void *)__builtin_frame_address(0))
#else
#define CALL_FRAME ((const void *)(const uintptr_t[]){0, (uintptr_t)__builtin_return_address(0)})
#endif

enum { CALL_SITE_DEPTH = 3, CALL_SITE_STEPS = 4096, CALL_SITE_PROBES = 8 };

/* A return address in a chain. The process keeps all that it has met, so a known chain takes no lock. A step is
 * complete once its address is set, and then stays unchanged. */
struct call_site_step {
    uintptr_t address;     /* 0: free */
    uint64_t inner, outer; /* hashes of the chain without and with this address; inner 0: the innermost */
    int32_t size;          /* as in struct frame_rule */
    int16_t saved;
    bool from_frame_pointer;
    bool is_last;
    uint32_t id;                       /* of the call site, if this step is the last one */
    const struct call_site_step *next; /* the first step that followed this one; the only one but for wrappers */
} __attribute__((aligned(64)));

extern struct call_site_step call_site_steps[CALL_SITE_STEPS];

/* The `inner` of calls on a stack that is not the thread's own: nobody knows how far it may be read. */
#define CALL_SITE_ALONE 1

static inline size_t call_site_slot(uintptr_t address, uint64_t inner) {
    return ((address ^ inner) * 0x9E3779B97F4A7C15u >> 32) % CALL_SITE_STEPS;
}

static inline const struct call_site_step *call_site_step(uintptr_t address, uint64_t inner) {
    size_t slot = call_site_slot(address, inner);
    for (size_t probe = 0; probe < CALL_SITE_PROBES; probe++) {
        const struct call_site_step *step = &call_site_steps[(slot + probe) % CALL_SITE_STEPS];
        uintptr_t step_address = __atomic_load_n(&step->address, __ATOMIC_ACQUIRE);
        if (__builtin_expect(step_address == address && step->inner == inner, 1))
            return step;
        if (!step_address)
            break;
    }
    return NULL;
}

/* A position in the chain of callers. */
struct call_position {
    uintptr_t address, stack, frame_pointer; /* stack: the stack pointer after the return to the address */
};

static inline struct call_position call_position_of(const void *call_frame) {
    const uintptr_t *words = call_frame;
    return (struct call_position){words[1], (uintptr_t)(words + 2), words[0]};
}

/* Goes on to the caller. False if the frame would leave the thread's own stack; `stack` must lie on it. */
static inline bool call_position_leave(struct call_position *position, int32_t size, int16_t saved,
                                       bool from_frame_pointer) {
    uintptr_t end = (from_frame_pointer ? position->frame_pointer : position->stack) + (uintptr_t)(intptr_t)size;
    uintptr_t depth = end - position->stack;
    if (depth - sizeof(uintptr_t) >= own_stack.high - position->stack || end % sizeof(uintptr_t) ||
        (uintptr_t)-(intptr_t)saved > depth)
        return false;
    if (saved)
        position->frame_pointer = *(const uintptr_t *)(end + (uintptr_t)(intptr_t)saved);
    position->address = *(const uintptr_t *)(end - sizeof(uintptr_t));
    position->stack = end;
    return true;
}

/* The id of the call site if its whole chain is known, else 0. */
static inline uint32_t call_site_known(const void *call_frame) {
    struct call_position position = call_position_of(call_frame);
    uint64_t inner = 0;
    if (__builtin_expect(!own_stack_has(position.stack), 0)) {
        if (!own_stack.high)
            return 0;
        inner = CALL_SITE_ALONE;
    }
    const struct call_site_step *step = call_site_step(position.address, inner);
    while (step && !step->is_last) {
        if (!call_position_leave(&position, step->size, step->saved, step->from_frame_pointer))
            return 0;
        const struct call_site_step *next = __atomic_load_n(&step->next, __ATOMIC_ACQUIRE);
        bool is_next = next && next->address == position.address;
        step = __builtin_expect(is_next, 1) ? next : call_site_step(position.address, step->outer);
    }
    return step ? step->id : 0;
}

/* Returns the id of a call site in machine code, or 0 if recording is off. The first use in the process writes the
 * definition. */
uint32_t call_site_look_up(const void *call_frame);

/* The same for an address without its callers. It does not become known. */
uint32_t call_site_without_callers(uintptr_t address);

/* Makes an address, or a number that stands for one, known as a call site without callers. */
void call_site_remember(uintptr_t address, uint32_t id);

/* Returns the id of any other kind of call site, or 0 if recording is off. Its highest bit is set, so that it differs
 * from all addresses. If *fresh is set, the caller writes the definition. */
uint32_t call_site_number(uintptr_t number, bool *fresh);
/* The same for a caller of such call sites. Its number must differ from theirs. */
uint32_t call_site_caller(uintptr_t number, bool *fresh);

#endif
