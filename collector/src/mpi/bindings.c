#include "mpi/bindings.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#include "mpi/chain.h"
#include "mpi/loaded_object.h"

enum { MOST_BINDINGS = 8 };

/* True for the file of a Fortran binding: libmpi_mpifh, libmpi_usempif08, libmpi_usempi_ignore_tkr (Open MPI),
 * libmpifort, libmpichfort, libmpichf90 (MPICH and ABI-compatible libraries). */
static bool is_binding(const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    if (strncmp(name, "libmpi", 6) != 0)
        return false;
    return strstr(name, "mpifh") || strstr(name, "usempi") || strstr(name, "fort") || strstr(name, "f90") ||
           strstr(name, "f77");
}

static void *wrapper_of(const struct loaded_object *object, const char *symbol) {
    (void)object;
    return strncmp(symbol, "PMPI_", 5) == 0 ? chain_wrapper(symbol + 1) : NULL;
}

void bindings_redirect(void) {
    struct loaded_object bindings[MOST_BINDINGS];
    int saved_errno = errno;
    int count = loaded_objects(bindings, MOST_BINDINGS, is_binding);
    for (int i = 0; i < count; i++)
        loaded_object_redirect(&bindings[i], wrapper_of);
    errno = saved_errno;
}

void *bindings_find(const char *symbol) {
    struct loaded_object bindings[MOST_BINDINGS];
    void *function = NULL;
    int saved_errno = errno;
    int count = loaded_objects(bindings, MOST_BINDINGS, is_binding);
    for (int i = 0; i < count && !function; i++) {
        void *library = dlopen(bindings[i].path, RTLD_LAZY | RTLD_NOLOAD);
        function = library ? dlsym(library, symbol) : NULL;
        if (library)
            dlclose(library);
    }
    errno = saved_errno;
    return function;
}

/* Redirects the bindings before main: programs are usually linked to them, so they are already loaded. */
__attribute__((constructor)) static void redirect_at_load(void) {
    bindings_redirect();
}
