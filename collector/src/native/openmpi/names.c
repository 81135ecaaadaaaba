#include "native/openmpi/names.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#include "config/variables.h"
#include "mpi/loaded_object.h"
#include "mpi/mpi_table.h"
#include "native/openmpi/algorithms.h"
#include "native/shared/open_collective.h"
#include "record/record.h"

/* Numbers of the algorithms, from 1, as in native_collective.called. */
enum {
    NO_ALGORITHM,
#define NUMBER(function, prefix, name) OF_##prefix##_##name,
    OPENMPI_ALGORITHMS(NUMBER)
#undef NUMBER
        END
};

static const struct {
    enum mpi_function function;
    const char *symbol, *name;
} algorithms[END] = {
#define ROW(function, prefix, name) {FUNCTION_MPI_##function, "ompi_coll_base_" #prefix "_" #name, #name},
    [NO_ALGORITHM] = {0}, OPENMPI_ALGORITHMS(ROW)
#undef ROW
};

static const char common[] = "ompi_coll_base_";

/* Open MPI's own function for each algorithm, used by the assembler code below. NULL if this release lacks the
 * function, or if another tool has replaced it. */
void *openmpi_algorithms_own[END];

#if defined(__x86_64__)
#define WITHOUT_FRAME __attribute__((naked, used, no_sanitize("address", "undefined", "thread")))

/* Stores the algorithm's number, which is in eax, in native_collective.called if that is 0. Then jumps to Open MPI's
 * own function. The arguments stay in their registers; rax and r11 may be overwritten before a call. */
void openmpi_algorithms_note(void);
WITHOUT_FRAME void openmpi_algorithms_note(void) {
    __asm__("movq native_collective@gottpoff(%%rip), %%r11\n\t"
            "cmpl $0, %%fs:%c0(%%r11)\n\t"
            "jne 1f\n\t"
            "movl %%eax, %%fs:%c0(%%r11)\n"
            "1:\tleaq openmpi_algorithms_own(%%rip), %%r11\n\t"
            "jmp *(%%r11, %%rax, 8)"
            :
            : "i"(offsetof(struct native_collective, called)));
}

#define OURS(function, prefix, name)                                                                                   \
    WITHOUT_FRAME static void our_##prefix##_##name(void) {                                                            \
        __asm__("movl %0, %%eax\n\tjmp openmpi_algorithms_note" : : "i"(OF_##prefix##_##name));                        \
    }
OPENMPI_ALGORITHMS(OURS)
#undef OURS

static void *const ours[END] = {
#define OURS(function, prefix, name) (void *)our_##prefix##_##name,
    [NO_ALGORITHM] = NULL, OPENMPI_ALGORITHMS(OURS)
#undef OURS
};
#else
static void *const ours[END];
#endif

static bool is_open_mpi_object(const char *path) {
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
    return strncmp(file, "libmpi.so", strlen("libmpi.so")) == 0 || strncmp(file, "mca_coll_", strlen("mca_coll_")) == 0;
}

static void *listed_function(void *const *functions, const char *symbol) {
    if (strncmp(symbol, common, sizeof common - 1) != 0)
        return NULL;
    for (int i = NO_ALGORITHM + 1; i < END; i++)
        if (openmpi_algorithms_own[i] && strcmp(symbol, algorithms[i].symbol) == 0)
            return functions[i];
    return NULL;
}

static void *our_function(const struct loaded_object *object, const char *symbol) {
    (void)object;
    return listed_function(ours, symbol);
}

static void *library_function_of(const struct loaded_object *object, const char *symbol) {
    (void)object;
    return listed_function(openmpi_algorithms_own, symbol);
}

static void redirect(replacement *replace) {
    struct loaded_object objects[64];
    int count = loaded_objects(objects, sizeof objects / sizeof *objects, is_open_mpi_object);
    for (int i = 0; i < count; i++)
        loaded_object_redirect(&objects[i], replace);
}

static bool running;

void openmpi_names_start(void) {
    if (!variable_switch(VARIABLE_NATIVE_NAMES, true))
        return;
    for (int i = NO_ALGORITHM + 1; i < END; i++) {
        void *library_function = mpi_table_of_library(algorithms[i].symbol);
        void *preferred = dlsym(RTLD_DEFAULT, algorithms[i].symbol);
        openmpi_algorithms_own[i] = !preferred || preferred == library_function ? library_function : NULL;
    }
    redirect(our_function);
    running = true;
}

void openmpi_names_stop(void) {
    if (running)
        redirect(library_function_of);
    running = false;
}

uint32_t openmpi_name(uint32_t called, enum mpi_function function) {
    static uint32_t ids[END];
    if (called >= END || algorithms[called].function != function)
        return 0;
    uint32_t id = __atomic_load_n(&ids[called], __ATOMIC_RELAXED);
    if (id == 0) {
        id = record_define_algorithm(algorithms[called].name);
        __atomic_store_n(&ids[called], id, __ATOMIC_RELAXED);
    }
    return id;
}
