#include "mpi/step_aside.h"

#include <errno.h>
#include <string.h>

#include "log/log.h"
#include "mpi/bindings.h"
#include "mpi/chain.h"
#include "mpi/loaded_object.h"
#include "mpi/mpi_table.h"
#include "presence/job.h"

enum { MOST_OBJECTS = 1024 };

static bool accept_all(const char *path) {
    (void)path;
    return true;
}

/* Finds the library's definition of a function that we define, or of a PMPI function whose callers in the Fortran
 * bindings we have redirected. */
static void *definition_of(const char *symbol) {
    bool passes_on = strncmp(symbol, "PMPI_", 5) == 0;
    void *wrapper = chain_wrapper(passes_on ? symbol + 1 : symbol);
    if (!wrapper)
        return NULL;
    void *library_function = mpi_table_of_library(symbol);
    return library_function && library_function != wrapper ? library_function : bindings_find(symbol);
}

static void *library_definition(const struct loaded_object *object, const char *symbol) {
    (void)object;
    return definition_of(symbol);
}

void *step_aside(const char *name, const char *reason) {
    static struct loaded_object objects[MOST_OBJECTS];
    int saved_errno = errno;
    void *next = definition_of(name);
    if (!next)
        return NULL;
    if (job_first_on_host(0))
        log_line("%s. Nothing is recorded; the program runs without the collector", reason);
    int count = loaded_objects(objects, MOST_OBJECTS, accept_all);
    for (int i = 0; i < count; i++)
        if (!loaded_object_has(&objects[i], (const void *)step_aside))
            loaded_object_redirect(&objects[i], library_definition);
    errno = saved_errno;
    return next;
}
