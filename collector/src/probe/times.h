/* What a rank measured, and memory to measure with. Without memory the job ends. */
#ifndef HOPSCOPE_PROBE_TIMES_H
#define HOPSCOPE_PROBE_TIMES_H

#include <stddef.h>
#include <stdint.h>

/* In ns. */
struct probe_times {
    size_t count, capacity;
    int64_t *ns;
};

/* One more. */
void probe_add(struct probe_times *times, int64_t ns);
/* Zeros; at least one byte. */
void *probe_memory(size_t bytes);

#endif
