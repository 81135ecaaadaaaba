/* The times that a rank measured, and memory for measurements. If memory runs out, the job ends. */
#ifndef HOPSCOPE_PROBE_TIMES_H
#define HOPSCOPE_PROBE_TIMES_H

#include <stddef.h>
#include <stdint.h>

/* Times in ns. The caller frees `ns`. */
struct probe_times {
    size_t count, capacity;
    int64_t *ns;
};

/* Adds a time. */
void probe_add(struct probe_times *times, int64_t ns);
/* Allocates zeros, at least one byte. The caller frees them. */
void *probe_memory(size_t bytes);

#endif
