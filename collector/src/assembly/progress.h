/* How far an assembly has got. */
#ifndef HOPSCOPE_ASSEMBLY_PROGRESS_H
#define HOPSCOPE_ASSEMBLY_PROGRESS_H

#include <stdint.h>

/* Called with bytes of spools read: done of total. */
typedef void assemble_progress(void *context, uint64_t done, uint64_t total);

struct progress {
    assemble_progress *report; /* NULL: silent */
    void *context;
    uint64_t done, total; /* bytes of spools */
};

#endif
