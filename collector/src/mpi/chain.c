#include "mpi/chain.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#include "config/variables.h"
#include "mpi/loaded_object.h"

enum { MOST_OBJECTS = 32 };

static void *preload_handle; /* handle of this preload, for dlsym */

bool chain_wanted(void) {
    return variable_switch(VARIABLE_CHAIN, false);
}

void *chain_wrapper(const char *name) {
    Dl_info info;
    if (!preload_handle && dladdr((const void *)chain_wrapper, &info) != 0 && info.dli_fname)
        preload_handle = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    return preload_handle ? dlsym(preload_handle, name) : NULL;
}

void *chain_next(const char *name) {
    return chain_wanted() && chain_wrapper(name) ? dlsym(RTLD_NEXT, name) : NULL;
}

/* Returns our MPI_X as the new target of a tool's reference to PMPI_X, if the tool itself defines MPI_X; else NULL. */
static void *wrapper_behind(const struct loaded_object *tool, const char *symbol) {
    if (strncmp(symbol, "PMPI_", 5) != 0)
        return NULL;
    void *handle = dlopen(*tool->path ? tool->path : NULL, RTLD_LAZY | RTLD_NOLOAD);
    const void *definition = handle ? dlsym(handle, symbol + 1) : NULL;
    if (handle)
        dlclose(handle);
    return definition && loaded_object_has(tool, definition) ? chain_wrapper(symbol + 1) : NULL;
}

static bool accept_all(const char *path) {
    (void)path;
    return true;
}

/* Redirects the objects before us in the loader's order: the program and earlier preloads. */
__attribute__((constructor)) static void redirect_at_load(void) {
    struct loaded_object objects[MOST_OBJECTS];
    int saved_errno = errno;
    int count = chain_wanted() ? loaded_objects(objects, MOST_OBJECTS, accept_all) : 0;
    for (int i = 0; i < count && !loaded_object_has(&objects[i], (const void *)redirect_at_load); i++)
        loaded_object_redirect(&objects[i], wrapper_behind);
    errno = saved_errno;
}
