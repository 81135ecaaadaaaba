#include "mpi/other_tools.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "mpi/chain.h"
#include "mpi/loaded_object.h"
#include "mpi/mpi_table.h"

static const char *const names[] = {
#define PMPI_FUNCTION(name) "MPI_" #name,
    PMPI_ALL_FUNCTIONS
#undef PMPI_FUNCTION
};

/* The definition of a function in an object before us; NULL if our definition is the first. */
static void *earlier_function(const char *name) {
    void *wrapper = chain_wrapper(name), *first = wrapper ? dlsym(RTLD_DEFAULT, name) : NULL;
    return first == wrapper ? NULL : first;
}

static void *later_function(const char *name) {
    char pmpi_name[80];
    snprintf(pmpi_name, sizeof pmpi_name, "P%s", name);
    return chain_later(name, mpi_table_of_library(pmpi_name));
}

static void add(struct shared_functions *functions, const char *name) {
    functions->first = functions->count++ ? functions->first : name;
}

static struct other_tool find(void *(*function_finder)(const char *name)) {
    struct other_tool tool = {0};
    const void *base = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const void *function = function_finder(names[i]);
        struct symbol_definition definition = loaded_object_definition(function);
        if (!definition.path || (tool.path && definition.base != base))
            continue;
        tool.path = definition.path;
        base = definition.base;
        add(&tool.all, names[i]);
        if (!chain_catches(function))
            add(&tool.unchained, names[i]);
    }
    return tool;
}

struct other_tool other_tool_before(void) {
    return find(earlier_function);
}

struct other_tool other_tool_behind(void) {
    return find(later_function);
}

const char *other_tool_keeping(const char *name) {
    const void *function = earlier_function(name);
    return chain_catches(function) ? NULL : loaded_object_definition(function).path;
}
