#include "assembly/modules.h"

#include <string.h>

static bool equals(const char *a, const char *b) {
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* True if the module was already seen on an earlier rank, or on this rank with a smaller number. A simple search is
 * enough, because usually all ranks have the same few modules. */
static bool is_repeated(const struct run *run, int rank, size_t number) {
    const struct module_definition *target = &run->processes[rank].modules[number];
    for (int earlier_rank = 0; earlier_rank <= rank; earlier_rank++) {
        const struct process *process = &run->processes[earlier_rank];
        for (size_t i = 0; i < (earlier_rank == rank ? number : process->module_count); i++) {
            const struct module_definition *module = &process->modules[i];
            if (equals(module->name, target->name) && equals(module->path, target->path) &&
                equals(module->build_id, target->build_id))
                return true;
        }
    }
    return false;
}

void modules_write(const struct run *run, struct text *output) {
    bool has_module = false;
    text_add(output, "[");
    for (int rank = 0; rank < run->rank_count; rank++) {
        const struct process *process = &run->processes[rank];
        for (size_t i = 0; i < process->module_count; i++) {
            const struct module_definition *module = &process->modules[i];
            if (!module->name || is_repeated(run, rank, i))
                continue;
            text_add(output, has_module ? ",\n    {\"name\": " : "\n    {\"name\": ");
            text_add_quoted(output, module->name);
            text_add(output, ", \"path\": ");
            text_add_quoted(output, module->path);
            text_add(output, ", \"build_id\": ");
            text_add_quoted(output, module->build_id);
            text_add(output, "}");
            has_module = true;
        }
    }
    text_add(output, has_module ? "\n  ]" : "]");
}
