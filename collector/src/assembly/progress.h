/* The progress of an assembly. */
#ifndef HOPSCOPE_ASSEMBLY_PROGRESS_H
#define HOPSCOPE_ASSEMBLY_PROGRESS_H

#include <stdint.h>

/* Receives the bytes of spools that were read so far, and the total. */
typedef void assemble_progress(void *context, uint64_t done, uint64_t total);

struct progress {
    assemble_progress *report; /* NULL: no reports */
    void *context;
    uint64_t done, total; /* bytes of spools */
};

#endif
