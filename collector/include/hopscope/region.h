/* Regions of a program's own in its traces: "assembly", "solve", "checkpoint".
 *
 *     #include <hopscope/region.h>
 *
 *     hopscope_region_begin("solve");
 *     ...
 *     hopscope_region_end("solve");
 *
 * There is nothing to link. Where the collector is preloaded the calls reach it; where it is not they do nothing, at
 * the cost of a comparison. Any thread may call them, between MPI_Init and MPI_Finalize; before and after, and inside a
 * callback of MPI, they record nothing. Regions of one thread nest; a name is copied, so it may be put together and
 * thrown away; where there is none ("", NULL) the region is called "(unnamed)". `hopscope_region_end` ends what was
 * begun inside that region and not ended, too; NULL ends the innermost; a name that was not begun is told once, on
 * stderr, and does nothing.
 *
 * C and C++. For Fortran there is hopscope/region.f90, for Python `with hopscope.region("solve"):`. Only this header
 * and region.f90 are for users; the others here are the collector's own.
 */
#ifndef HOPSCOPE_REGION_H
#define HOPSCOPE_REGION_H

#include <dlfcn.h>
#include <stddef.h>

#if defined(HOPSCOPE_INSIDE_COLLECTOR)

void hopscope_region_begin(const char *name);
void hopscope_region_end(const char *name);

#else

#if defined(__cplusplus)
extern "C" {
#endif

typedef void (*hopscope_region_function_)(const char *name);

/* An ordinary reference would not link without the collector, and a weak one in a program does not look for it. */
static inline hopscope_region_function_ hopscope_region_find_(const char *symbol) {
    union {
        void *address;
        hopscope_region_function_ call;
    } found;
    found.address = dlsym((void *)0 /* RTLD_DEFAULT */, symbol);
    return found.call;
}

static inline void hopscope_region_call_(hopscope_region_function_ *known, int *looked, const char *symbol,
                                         const char *name) {
    hopscope_region_function_ call;
    if (!__atomic_load_n(looked, __ATOMIC_ACQUIRE)) {
        call = hopscope_region_find_(symbol);
        __atomic_store_n(known, call, __ATOMIC_RELAXED);
        __atomic_store_n(looked, 1, __ATOMIC_RELEASE);
    }
    call = __atomic_load_n(known, __ATOMIC_RELAXED);
    if (call)
        call(name);
}

static inline void hopscope_region_begin(const char *name) {
    static hopscope_region_function_ known;
    static int looked;
    hopscope_region_call_(&known, &looked, "hopscope_region_begin", name);
}

static inline void hopscope_region_end(const char *name) {
    static hopscope_region_function_ known;
    static int looked;
    hopscope_region_call_(&known, &looked, "hopscope_region_end", name);
}

#if defined(__cplusplus)
}
#endif

#endif
#endif
