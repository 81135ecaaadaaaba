#include "mpi/chain.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#include "config/variables.h"
#include "mpi/loaded_object.h"

enum { MOST_OBJECTS = 32, MOST_FUNCTIONS = 1024 };

static void *preload_handle; /* handle of this preload, for dlsym */

/* The MPI functions of tools before us whose PMPI references lead to us. */
static const void *caught_definitions[MOST_FUNCTIONS];
static int caught_count;

bool chain_wanted(void) {
    const char *setting = variable_text(VARIABLE_CHAIN);
    return !setting || strcmp(setting, "0") != 0;
}

void *chain_wrapper(const char *name) {
    Dl_info info;
    if (!preload_handle && dladdr((const void *)chain_wrapper, &info) != 0 && info.dli_fname)
        preload_handle = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    return preload_handle ? dlsym(preload_handle, name) : NULL;
}

/* True for a second collector in the process. It would record the same calls in the same directory. */
static bool is_collector(const struct symbol_definition *definition) {
    return loaded_object_definition(dlsym(RTLD_NEXT, "hopscope_region_begin")).base == definition->base;
}

void *chain_later(const char *name, const void *library_function) {
    void *later = chain_wrapper(name) ? dlsym(RTLD_NEXT, name) : NULL;
    /* In most libraries MPI_X and PMPI_X are one function, so that the comparison of objects is hardly ever needed. */
    if (!later || later == library_function)
        return NULL;
    struct symbol_definition definition = loaded_object_definition(later);
    bool is_of_library = definition.base == loaded_object_definition(library_function).base;
    return is_of_library || is_collector(&definition) ? NULL : later;
}

void *chain_next(const char *name, const void *library_function) {
    return chain_wanted() ? chain_later(name, library_function) : NULL;
}

bool chain_catches(const void *definition) {
    for (int i = 0; i < caught_count; i++)
        if (caught_definitions[i] == definition)
            return true;
    return false;
}

/* True if a tool before us defines PMPI_X itself. References to it have to stay, because that tool counts on them. */
static bool is_taken(const char *pmpi_name) {
    void *first = dlsym(RTLD_DEFAULT, pmpi_name);
    return first && first != dlsym(RTLD_NEXT, pmpi_name) && loaded_object_definition(first).path;
}

/* Returns our MPI_X as the new target of a tool's reference to PMPI_X, if the tool itself defines MPI_X; else NULL. */
static void *wrapper_behind(const struct loaded_object *tool, const char *symbol) {
    if (strncmp(symbol, "PMPI_", 5) != 0)
        return NULL;
    void *wrapper = chain_wrapper(symbol + 1);
    void *handle = wrapper ? dlopen(*tool->path ? tool->path : NULL, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    const void *definition = handle ? dlsym(handle, symbol + 1) : NULL;
    if (handle)
        dlclose(handle);
    if (!definition || !loaded_object_has(tool, definition) || is_taken(symbol))
        return NULL;
    if (!chain_catches(definition)) {
        if (caught_count == MOST_FUNCTIONS)
            return NULL;
        caught_definitions[caught_count++] = definition;
    }
    return wrapper;
}

/* True if no other collector is loaded before this one. The first collector records all calls. */
static bool is_first_collector(void) {
    static const char own_name[] = "hopscope_region_begin";
    return dlsym(RTLD_DEFAULT, own_name) == chain_wrapper(own_name);
}

static bool accept_all(const char *path) {
    (void)path;
    return true;
}

/* Redirects the objects before us in the loader's order: the program and earlier preloads. */
__attribute__((constructor)) static void redirect_at_load(void) {
    struct loaded_object objects[MOST_OBJECTS];
    int saved_errno = errno;
    int count = chain_wanted() && is_first_collector() ? loaded_objects(objects, MOST_OBJECTS, accept_all) : 0;
    for (int i = 0; i < count && !loaded_object_has(&objects[i], (const void *)redirect_at_load); i++)
        loaded_object_redirect(&objects[i], wrapper_behind);
    errno = saved_errno;
}
