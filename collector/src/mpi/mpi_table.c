/* Finds the MPI library of this process. It comes after us in the loader's search order, or was loaded privately
 * (mpi4py may do so). */
#include "mpi/mpi_table.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "mpi/chain.h"
#include "mpi/library_names.h"

struct pmpi_table pmpi_library, pmpi_next;

#ifdef OMPI_MPI_H
struct openmpi_handles openmpi_handles;
#endif

static const char *const library_files[] = {LIBRARY_FILES};

static void *library; /* a handle for dlsym */

static void *find(const char *name) {
    return dlsym(library, name);
}

#ifdef OMPI_MPI_H
/* The address of a data symbol of the library. An executable may contain a copy of the library's data (a copy
 * relocation). The copy is then the first definition in the global order, and everybody uses it. Data of a privately
 * loaded library is found only through the library's handle. */
static void *find_data(const char *name) {
    void *global = dlsym(RTLD_DEFAULT, name);
    return global ? global : find(name);
}
#endif

static void find_library(void) {
    library = RTLD_NEXT;
    if (find("PMPI_Init"))
        return;
    library = RTLD_DEFAULT;
    if (find("PMPI_Init"))
        return;
    library = NULL;
    for (size_t i = 0; !library && i < sizeof library_files / sizeof *library_files; i++)
        library = dlopen(library_files[i], RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
}

/* True if this preload was built for the process's library. Handles differ in width or value between the ABIs, so with
 * another library the process would crash later. */
static bool is_supported_library(void) {
    static const char *const file_parts[] = {LIBRARY_FILE_PARTS};
    Dl_info info = {0};
    const char *file = dladdr(find("PMPI_Init"), &info) != 0 && info.dli_fname ? info.dli_fname : "", *part = "";
    for (size_t i = 0; i < sizeof file_parts / sizeof *file_parts; i++)
        part = strstr(file, file_parts[i]) ? file_parts[i] : part;
    if (*part || *LIBRARY_FILE_PART)
        return strcmp(part, LIBRARY_FILE_PART) == 0;
    /* Open MPI's and MPICH's files may both be called libmpi.so. Only Open MPI has this symbol. */
#ifdef OMPI_MPI_H
    return find("ompi_mpi_comm_world");
#else
    return !find("ompi_mpi_comm_world");
#endif
}

/* Stands in the table for an MPIX_ function that this build of the library lacks. */
__attribute__((unused)) static int refuse(void) {
    return MPI_ERR_UNSUPPORTED_OPERATION;
}

static bool resolve(char *message, size_t capacity) {
    find_library();
    if (!library || !find("PMPI_Init")) {
        snprintf(message, capacity, "found no MPI library in this process that libhopscope-%s.so supports",
                 HOPSCOPE_LIBRARY);
        return false;
    }
    if (!is_supported_library()) {
        snprintf(message, capacity,
                 "libhopscope-%s.so is preloaded, but this program's MPI library is not %s; preload the library that "
                 "`hopscope preload` names",
                 HOPSCOPE_LIBRARY, LIBRARY_WORDS);
        return false;
    }
    const char *missing = NULL;
#define PMPI_FUNCTION(name)                                                                                            \
    pmpi.name = (__typeof__(pmpi.name))find("PMPI_" #name);                                                            \
    missing = pmpi.name ? missing : "PMPI_" #name;
    PMPI_ALL_FUNCTIONS
#undef PMPI_FUNCTION
    void *function;
#define PMPIX_FUNCTION(name)                                                                                           \
    function = find("PMPIX_" #name);                                                                                   \
    pmpi.name = (__typeof__(pmpi.name))(function ? function : (void *)refuse);
    PMPIX_FUNCTIONS
#undef PMPIX_FUNCTION
#ifdef OMPI_MPI_H
#define HOPSCOPE_RESOLVE(symbol) openmpi_handles.symbol = find_data(#symbol);
    OPENMPI_HANDLES(HOPSCOPE_RESOLVE)
#undef HOPSCOPE_RESOLVE
#endif
    pmpi_next = pmpi_library;
#define PMPI_FUNCTION(name)                                                                                            \
    function = chain_next("MPI_" #name, (void *)pmpi.name);                                                            \
    pmpi_next.name = function ? (__typeof__(pmpi.name))function : pmpi_next.name;
    PMPI_ALL_FUNCTIONS
#undef PMPI_FUNCTION
#define PMPIX_FUNCTION(name)                                                                                           \
    function = chain_next("MPIX_" #name, (void *)pmpi.name);                                                           \
    pmpi_next.name = function ? (__typeof__(pmpi.name))function : pmpi_next.name;
    PMPIX_FUNCTIONS
#undef PMPIX_FUNCTION
    if (missing)
        snprintf(message, capacity, "the MPI library of this program lacks %s; libhopscope-%s.so needs MPI 3.1",
                 missing, HOPSCOPE_LIBRARY);
    return !missing;
}

static pthread_once_t resolve_guard = PTHREAD_ONCE_INIT;
static bool resolved;
static char why_not[256];

static void resolve_once(void) {
    resolved = resolve(why_not, sizeof why_not);
}

bool mpi_table_resolve(char *message, size_t capacity) {
    pthread_once(&resolve_guard, resolve_once);
    if (!resolved)
        snprintf(message, capacity, "%s", why_not);
    return resolved;
}

void *mpi_table_of_library(const char *name) {
    return library ? find(name) : NULL;
}
