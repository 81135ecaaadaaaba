/* The call site of a wrapper: an address in the program's machine code or, for a call through mpi4py, the nearest line
 * of Python. */
#ifndef HOPSCOPE_PYTHON_SITE_H
#define HOPSCOPE_PYTHON_SITE_H

#include "record/call_site.h"

enum python_sites { PYTHON_SITES_OFF, PYTHON_SITES_QUIETLY, PYTHON_SITES_REPORTED };

/* Call it in MPI_Init, once recording has begun; before that, lines are not read. REPORTED: if lines of Python are
 * unavailable, a line on stderr gives the reason. */
void python_sites_begin(enum python_sites sites);

/* The id of a call site that is not in this thread's cache; 0 if recording is off. */
uint32_t python_site_look_up(uintptr_t address);

/* The id of the call site. return_address: __builtin_return_address(0) of the wrapper. mpi4py's calls are never in the
 * cache, so that a program without Python pays nothing for them. */
static inline uint32_t site_of_caller(const void *return_address) {
    uintptr_t address = (uintptr_t)return_address;
    const struct call_site_cache_entry *entry = call_site_cached(address);
    return __builtin_expect(entry->address == address, 1) ? entry->id : python_site_look_up(address);
}

#endif
