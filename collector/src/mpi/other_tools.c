#include "mpi/other_tools.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "mpi/chain.h"
#include "mpi/mpi_table.h"

static const char *const names[] = {
#define PMPI_FUNCTION(name) "MPI_" #name,
    PMPI_ALL_FUNCTIONS
#undef PMPI_FUNCTION
};

struct definition {
    const char *path;
    const void *base;
};

/* Finds the object that defines the function at an address. In a program that is not position-independent, the address
 * of a library's function may be that of a stub in the program, which does not define the function. */
static struct definition definition_of(void *address) {
    Dl_info info;
    ElfW(Sym) *symbol = NULL;
    if (!address || dladdr1(address, &info, (void **)&symbol, RTLD_DL_SYMENT) == 0 || !symbol ||
        symbol->st_shndx == SHN_UNDEF)
        return (struct definition){0};
    return (struct definition){info.dli_fname, info.dli_fbase};
}

static struct definition earlier_definition(const char *name) {
    void *wrapper = chain_wrapper(name), *first = dlsym(RTLD_DEFAULT, name);
    struct definition first_definition = definition_of(first);
    return !wrapper || first == wrapper || first_definition.base == definition_of(wrapper).base ? (struct definition){0}
                                                                                                : first_definition;
}

static struct definition later_definition(const char *name) {
    struct definition library = definition_of((void *)pmpi_library.Init);
    struct definition next_definition =
        chain_wrapper(name) ? definition_of(dlsym(RTLD_NEXT, name)) : (struct definition){0};
    return next_definition.base == library.base ? (struct definition){0} : next_definition;
}

static struct other_tool find(struct definition (*definition_finder)(const char *name)) {
    struct other_tool tool = {0};
    const void *base = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct definition definition = definition_finder(names[i]);
        if (!definition.path)
            continue;
        if (!tool.path) {
            tool = (struct other_tool){.path = definition.path, .first = names[i]};
            base = definition.base;
        } else {
            tool.further_count += definition.base == base;
        }
    }
    return tool;
}

struct other_tool other_tool_before(void) {
    return find(earlier_definition);
}

struct other_tool other_tool_behind(void) {
    return find(later_definition);
}

const char *other_tool_with(const char *name) {
    return earlier_definition(name).path;
}
