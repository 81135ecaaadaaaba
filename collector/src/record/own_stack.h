/* The bounds of this thread's stack. */
#ifndef HOPSCOPE_OWN_STACK_H
#define HOPSCOPE_OWN_STACK_H

#include <stdbool.h>
#include <stdint.h>

struct own_stack {
    uintptr_t low, high; /* high 0: not looked up yet */
};

extern _Thread_local struct own_stack own_stack __attribute__((tls_model("initial-exec")));

/* False also if the bounds are unknown: a program's own stacks (coroutines, fibers) have none. */
static inline bool own_stack_has(uintptr_t address) {
    return address - own_stack.low < own_stack.high - own_stack.low;
}

/* Looks the bounds up, once per thread. It may read the process's mappings and allocate, so it is not for every call.
 * Keeps errno. */
void own_stack_find(void);

#endif
