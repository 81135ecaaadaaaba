/* Reports in one line, when a process ends, that it used MPI but bypassed the collector.
 *
 * This happens in two ways. A program that opens its MPI library itself and looks functions up in that handle (dlopen,
 * dlsym) bypasses a preloaded library. Or another tool, loaded before the collector, wraps MPI_Init and calls
 * PMPI_Init. */
#include "run/unseen.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "log/log.h"
#include "mpi/loaded_object.h"
#include "run/beside_tools.h"

static bool is_recorded;

void unseen_dismiss(void) {
    is_recorded = true;
}

static bool is_mpi(const char *path) {
    static const char *const names[] = {"libmpi.so", "libmpich.so", "libmpi_abi.so"};
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

/* True for rank 0, so that only one process of the job reports. If the launcher sets no rank, true for every process.
 */
static bool is_reporting_process(void) {
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "PALS_RANKID", "SLURM_PROCID"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        if (value && *value)
            return strcmp(value, "0") == 0;
    }
    return true;
}

__attribute__((destructor)) static void report_at_end(void) {
    struct loaded_object library;
    if (is_recorded || !loaded_objects(&library, 1, is_mpi) || !is_reporting_process())
        return;
    void *handle = dlopen(library.path, RTLD_LAZY | RTLD_NOLOAD);
    int (*initialized)(int *) = handle ? (int (*)(int *))dlsym(handle, "PMPI_Initialized") : NULL;
    int used = 0;
    if (initialized && initialized(&used) == 0 && used && !beside_tools_tell_unbegun())
        log_line("this program looked up its MPI functions in %s by itself (dlopen, dlsym) and bypassed the collector. "
                 "Nothing was recorded. Link the program to the MPI library, or look the functions up in RTLD_DEFAULT",
                 library.path);
}
