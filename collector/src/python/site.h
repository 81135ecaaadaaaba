/* The call site of a wrapper: an address in the program's machine code or, for a call through mpi4py, the nearest line
 * of Python. */
#ifndef HOPSCOPE_PYTHON_SITE_H
#define HOPSCOPE_PYTHON_SITE_H

#include "record/call_site.h"

enum python_sites { PYTHON_SITES_OFF, PYTHON_SITES_QUIETLY, PYTHON_SITES_REPORTED };

/* Call it in MPI_Init, once recording has begun; before that, lines are not read. REPORTED: if lines of Python are
 * unavailable, a line on stderr gives the reason. */
void python_sites_begin(enum python_sites sites);

/* The id of a call site that is not known yet, or of a line of Python; 0 if recording is off. */
uint32_t python_site_look_up(const void *call_frame);

/* The id of the call site of a wrapper with this CALL_FRAME. mpi4py's calls are never known, so that a program without
 * Python pays nothing for them. */
static inline uint32_t site_of_caller(const void *call_frame) {
    uint32_t id = call_site_known(call_frame);
    return __builtin_expect(id != 0, 1) ? id : python_site_look_up(call_frame);
}

#endif
