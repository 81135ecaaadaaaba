/* Functions with the Fortran names of the wrapped functions.
 *
 * They record nothing. They note the call site and call the MPI library's own Fortran binding, which then calls a C
 * wrapper (see bindings.h). A Fortran call passes addresses and hidden text lengths, at most 16 words in all. So every
 * entry passes on 16 words. The words beyond the real arguments come from the caller's frame, and no function reads
 * them.
 *
 * The build generates the names from schemas/mpi_functions.h, so a new function needs no change here.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "function_names.h"
#include "log/log.h"
#include "mpi/bindings.h"
#include "wrappers/call.h"

/* 16 words: MPI_Isendrecv has 13 arguments and ierror. */
#define PARAMETERS                                                                                                     \
    void *a, void *b, void *c, void *d, void *e, void *f, void *g, void *h, void *i, void *j, void *k, void *l,        \
        void *m, void *n, void *o, void *p
#define ARGUMENTS a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p

typedef void binding(PARAMETERS);

static binding *find(const char *symbol) {
    binding *function = (binding *)dlsym(RTLD_NEXT, symbol);
    return function ? function : (binding *)bindings_find(symbol);
}

/* Looks up the MPI library's own definition of a function, not another tool's. `rest` is the function's name without
 * `mpi`. For `use mpi_f08`, Open MPI names it pmpi_bcast_f08_ and MPICH pmpir_bcast_f08ts_; for mpif.h, both name it
 * pmpi_bcast_. */
static binding *look_up(const char *rest) {
    static const char *const prefixes[] = {"pmpi", "pmpir", "mpi"};
    binding *function = NULL;
    char symbol[128];
    bindings_redirect();
    for (size_t i = 0; !function && i < sizeof prefixes / sizeof *prefixes; i++) {
        snprintf(symbol, sizeof symbol, "%s%s", prefixes[i], rest);
        function = find(symbol);
    }
    if (!function) {
        log_line("the program calls %s, but none of its libraries defines it", symbol);
        abort();
    }
    return function;
}

#define ENTRY(name, ending)                                                                                            \
    WRAPPER void mpi_##name##ending(PARAMETERS);                                                                       \
    WRAPPER void mpi_##name##ending(PARAMETERS) {                                                                      \
        static binding *cached_binding;                                                                                \
        binding *next = __atomic_load_n(&cached_binding, __ATOMIC_ACQUIRE);                                            \
        if (__builtin_expect(!next, 0)) {                                                                              \
            next = look_up("_" #name #ending);                                                                         \
            __atomic_store_n(&cached_binding, next, __ATOMIC_RELEASE);                                                 \
        }                                                                                                              \
        const void *outer = call_thread.fortran_caller;                                                                \
        call_thread.fortran_caller = outer ? outer : CALL_FRAME;                                                       \
        next(ARGUMENTS);                                                                                               \
        call_thread.fortran_caller = outer;                                                                            \
    }

#define MPIF_H_AND_USE_MPI(name) ENTRY(name, _)
#define USE_MPI_F08(name) ENTRY(name, _f08_)
FORTRAN_NAMES(MPIF_H_AND_USE_MPI)
FORTRAN_NAMES(USE_MPI_F08)

#ifndef OMPI_MPI_H
/* MPICH's name of a function shows if it has a buffer, which is passed by descriptor (ts), and if its counts are large.
 */
#define USE_MPI_F08_BUFFER(name) ENTRY(name, _f08ts_)
#define USE_MPI_F08_LARGE(name) ENTRY(name, _f08_large_)
#define USE_MPI_F08_BUFFER_LARGE(name) ENTRY(name, _f08ts_large_)
FORTRAN_NAMES(USE_MPI_F08_BUFFER)
FORTRAN_NAMES(USE_MPI_F08_LARGE)
FORTRAN_NAMES(USE_MPI_F08_BUFFER_LARGE)
#endif
