/* The call site of a wrapper: an address in the program's machine code or, for a call through mpi4py, the nearest line
 * of Python. */
#ifndef HOPSCOPE_PYTHON_SITE_H
#define HOPSCOPE_PYTHON_SITE_H

#include "record/call_site.h"

enum python_sites { PYTHON_SITES_OFF, PYTHON_SITES_QUIETLY, PYTHON_SITES_REPORTED };

/* Allows the collector to read lines of Python. Call it in MPI_Init, once recording has begun. REPORTED: if lines
 * cannot be read, prints the reason on stderr. */
void python_sites_begin(enum python_sites sites);

/* The id of a call site that is not known yet, or of a line of Python; 0 if recording is off. */
uint32_t python_site_look_up(const void *call_frame);

/* The id of the call site of a wrapper with this CALL_FRAME. call_site_known never finds calls from mpi4py, so only
 * these and new call sites take the slow way. */
static inline uint32_t site_of_caller(const void *call_frame) {
    uint32_t id = call_site_known(call_frame);
    return __builtin_expect(id != 0, 1) ? id : python_site_look_up(call_frame);
}

#endif
