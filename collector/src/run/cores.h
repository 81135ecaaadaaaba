/* Finds the cores that this process may use, and how long its threads had to wait for a core. */
#ifndef HOPSCOPE_CORES_H
#define HOPSCOPE_CORES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct core_use {
    int busy_threads;  /* threads that have used at least a tenth of the processor time of the busiest one */
    int64_t cpu_ns;    /* processor time of all threads that still exist */
    int64_t queued_ns; /* time in which these threads were ready to run, but no core was free */
};

/* Writes the cores that the kernel lets this thread use, such as `0-3,8`; an empty text if they are unknown or do not
 * fit. */
void cores_allowed(char *output, size_t capacity);
/* Reads the use of cores so far. False if the kernel does not provide it. */
bool cores_used(struct core_use *use);

#endif
