/* Call sites: the places in the program that call MPI functions, each with the calls that led there.
 *
 * A chain of up to CALL_SITE_DEPTH return addresses identifies a call site: the wrapper's, its caller's and so on. The
 * chain ends early if the unwind table has no simple rule for the next frame. It also ends before a caller that lies in
 * another library than the code it calls, unless the caller is in the program itself. The assembly decides which of the
 * callers are needed. */
#ifndef HOPSCOPE_CALL_SITE_H
#define HOPSCOPE_CALL_SITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/own_stack.h"

/* The address of two words of the function that evaluates the macro: its caller's frame pointer and its return address.
 * On x86-64 the caller's stack begins behind them. On other processors, callers are not followed. */
#if defined(__x86_64__)
#define CALL_FRAME ((const void *)__builtin_frame_address(0))
#else
#define CALL_FRAME ((const void *)(const uintptr_t[]){0, (uintptr_t)__builtin_return_address(0)})
#endif

enum { CALL_SITE_DEPTH = 3, CALL_SITE_STEPS = 4096, CALL_SITE_PROBES = 8 };

/* A return address in a chain. The process keeps the steps of all chains, so looking up a known chain takes no lock. A
 * step is complete once its address is set. After that, only `next` may change. */
struct call_site_step {
    uintptr_t address;     /* 0: free */
    uint64_t inner, outer; /* hashes of the chain up to this address, without and with it; inner 0: the first step */
    int32_t size;          /* as in struct frame_rule */
    int16_t saved;
    bool from_frame_pointer;
    bool is_last;
    uint32_t id;                       /* the call site's id, if this step is the last one */
    const struct call_site_step *next; /* a step that has followed this one, tried first; NULL: none yet */
} __attribute__((aligned(64)));

extern struct call_site_step call_site_steps[CALL_SITE_STEPS];

/* The `inner` of a step for a call on a stack that is not the thread's own. Such a stack's bounds are unknown, so its
 * callers are not followed. */
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

/* Moves the position to the caller, by a struct frame_rule. False if the caller's frame would lie outside the thread's
 * own stack. position->stack must lie on that stack. */
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

/* Like call_site_look_up, for an address without its callers. call_site_known will not find it. */
uint32_t call_site_without_callers(uintptr_t address);

/* Adds a call site without callers to the known ones. `address` may also be another number that stands for one. */
void call_site_remember(uintptr_t address, uint32_t id);

/* Returns the id of a call site of another kind, such as a line of Python; 0 if recording is off. `number` identifies
 * the call site; its highest bit must be set, so that it is not an address. If *fresh is set, write the definition. */
uint32_t call_site_number(uintptr_t number, bool *fresh);
/* Like call_site_number, for a caller of such call sites. Its number must not be that of a call site. */
uint32_t call_site_caller(uintptr_t number, bool *fresh);

#endif
