#include "assembly/modules.h"

#include <string.h>

static bool is_same(const char *a, const char *b) {
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* True if an earlier rank, or this one before, has the module: as a rule all ranks have the same few. */
static bool is_listed(const struct run *run, int rank, size_t number) {
    const struct module_definition *its = &run->processes[rank].modules[number];
    for (int other = 0; other <= rank; other++) {
        const struct process *process = &run->processes[other];
        for (size_t i = 0; i < (other == rank ? number : process->module_count); i++) {
            const struct module_definition *module = &process->modules[i];
            if (is_same(module->name, its->name) && is_same(module->path, its->path) &&
                is_same(module->build_id, its->build_id))
                return true;
        }
    }
    return false;
}

void modules_write(const struct run *run, struct text *out) {
    bool any = false;
    text_add(out, "[");
    for (int rank = 0; rank < run->rank_count; rank++) {
        const struct process *process = &run->processes[rank];
        for (size_t i = 0; i < process->module_count; i++) {
            const struct module_definition *module = &process->modules[i];
            if (!module->name || is_listed(run, rank, i))
                continue;
            text_add(out, any ? ",\n    {\"name\": " : "\n    {\"name\": ");
            text_add_quoted(out, module->name);
            text_add(out, ", \"path\": ");
            text_add_quoted(out, module->path);
            text_add(out, ", \"build_id\": ");
            text_add_quoted(out, module->build_id);
            text_add(out, "}");
            any = true;
        }
    }
    text_add(out, any ? "\n  ]" : "]");
}
