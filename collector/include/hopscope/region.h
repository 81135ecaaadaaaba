/* User-defined regions in a program's traces: "assembly", "solve", "checkpoint".
 *
 *     #include <hopscope/region.h>
 *
 *     hopscope_region_begin("solve");
 *     ...
 *     hopscope_region_end("solve");
 *
 * There is nothing to link. If the collector is preloaded, the calls reach it; otherwise they do nothing, at the cost
 * of a comparison. Any thread may call them, between MPI_Init and MPI_Finalize. Before MPI_Init, after MPI_Finalize and
 * inside an MPI callback, they record nothing. Regions of one thread nest. Names are copied, so they need not outlive
 * the call. An empty name ("" or NULL) begins the region "(unnamed)". `hopscope_region_end` ends the named region, and
 * with it the regions that began inside it and are still open; NULL ends the innermost region. If no region with this
 * name is open, the call does nothing, and the collector reports the first such call on stderr.
 *
 * C and C++. For Fortran there is hopscope/region.f90, for Python `with hopscope.region("solve"):`. Only this header
 * and region.f90 are for users; the others here are internal. */
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

/* Looks up the collector's function at run time. With an ordinary reference, the program would not link without the
 * collector. A weak reference in a program is not resolved at run time. */
static inline hopscope_region_function_ hopscope_region_find_(const char *symbol) {
    union {
        void *address;
        hopscope_region_function_ call;
    } function;
    function.address = dlsym((void *)0 /* RTLD_DEFAULT */, symbol);
    return function.call;
}

static inline void hopscope_region_call_(hopscope_region_function_ *cached_function, int *is_resolved,
                                         const char *symbol, const char *name) {
    hopscope_region_function_ call;
    if (!__atomic_load_n(is_resolved, __ATOMIC_ACQUIRE)) {
        call = hopscope_region_find_(symbol);
        __atomic_store_n(cached_function, call, __ATOMIC_RELAXED);
        __atomic_store_n(is_resolved, 1, __ATOMIC_RELEASE);
    }
    call = __atomic_load_n(cached_function, __ATOMIC_RELAXED);
    if (call)
        call(name);
}

static inline void hopscope_region_begin(const char *name) {
    static hopscope_region_function_ cached_function;
    static int is_resolved;
    hopscope_region_call_(&cached_function, &is_resolved, "hopscope_region_begin", name);
}

static inline void hopscope_region_end(const char *name) {
    static hopscope_region_function_ cached_function;
    static int is_resolved;
    hopscope_region_call_(&cached_function, &is_resolved, "hopscope_region_end", name);
}

#if defined(__cplusplus)
}
#endif

#endif
#endif
