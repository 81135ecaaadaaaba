/* The bounds of this thread's stack. */
#ifndef HOPSCOPE_OWN_STACK_H
#define HOPSCOPE_OWN_STACK_H

#include <stdbool.h>
#include <stdint.h>

struct own_stack {
    uintptr_t low, high; /* high 0: not looked up yet */
};

extern _Thread_local struct own_stack own_stack __attribute__((tls_model("initial-exec")));

/* True if the address lies on this thread's stack. Also false if the bounds have not been looked up, and on stacks that
 * the program allocated itself (coroutines, fibers). */
static inline bool own_stack_has(uintptr_t address) {
    return address - own_stack.low < own_stack.high - own_stack.low;
}

/* Looks up the bounds. Call it once per thread, because it may allocate memory and read the process's list of mappings.
 * Keeps errno. */
void own_stack_find(void);

#endif
