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

/* The object that defines the function at an address. In a program that is not position-independent a function's
 * address may be in the program itself, which does not define it. */
static struct definition definition_of(void *address) {
    Dl_info info;
    ElfW(Sym) *symbol = NULL;
    if (!address || dladdr1(address, &info, (void **)&symbol, RTLD_DL_SYMENT) == 0 || !symbol ||
        symbol->st_shndx == SHN_UNDEF)
        return (struct definition){0};
    return (struct definition){info.dli_fname, info.dli_fbase};
}

static struct definition before_us(const char *name) {
    void *own = chain_wrapper(name), *first = dlsym(RTLD_DEFAULT, name);
    struct definition other = definition_of(first);
    return !own || first == own || other.base == definition_of(own).base ? (struct definition){0} : other;
}

static struct definition behind_us(const char *name) {
    struct definition library = definition_of((void *)pmpi_library.Init);
    struct definition other = chain_wrapper(name) ? definition_of(dlsym(RTLD_NEXT, name)) : (struct definition){0};
    return other.base == library.base ? (struct definition){0} : other;
}

static struct other_tool find(struct definition (*where)(const char *name)) {
    struct other_tool tool = {0};
    const void *base = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct definition found = where(names[i]);
        if (!found.path)
            continue;
        if (!tool.path) {
            tool = (struct other_tool){.path = found.path, .first = names[i]};
            base = found.base;
        } else {
            tool.more += found.base == base;
        }
    }
    return tool;
}

struct other_tool other_tool_before(void) {
    return find(before_us);
}

struct other_tool other_tool_behind(void) {
    return find(behind_us);
}

const char *other_tool_with(const char *name) {
    return before_us(name).path;
}
