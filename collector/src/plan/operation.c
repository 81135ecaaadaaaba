/* The properties of each operation. */
#include "plan/operation.h"

#include <string.h>

enum { moves, reduces };
enum { rootless, rooted };
enum lengths { LENGTHS_EVEN, LENGTHS_KNOWN, LENGTHS_HIDDEN };

static const struct {
    const char *name;
    bool reduces, has_root;
    enum operation_content input, output;
    enum lengths lengths;
} operations[OPERATIONS] = {
#define OPERATION(id, name, does, root, input, output, lengths)                                                        \
    {"MPI_" #name, does, root, CONTENT_##input, CONTENT_##output, LENGTHS_##lengths},
    OPERATION_TABLE(OPERATION)
#undef OPERATION
};

const char *operation_name(enum operation operation) {
    return operations[operation].name;
}

enum operation operation_named(const char *name) {
    int i = 0;
    while (i < OPERATIONS && strcmp(operations[i].name, name) != 0)
        i++;
    return (enum operation)i;
}

bool operation_reduces(enum operation operation) {
    return operations[operation].reduces;
}

bool operation_has_root(enum operation operation) {
    return operations[operation].has_root;
}

bool operation_hides_bytes(enum operation operation) {
    return operations[operation].lengths == LENGTHS_HIDDEN;
}

bool operation_is_even(enum operation operation) {
    return operations[operation].lengths == LENGTHS_EVEN;
}

bool operation_has_blocks(enum operation operation) {
    return operations[operation].input >= CONTENT_OWN;
}

enum operation_content operation_input(enum operation operation) {
    return operations[operation].input;
}

enum operation_content operation_output(enum operation operation) {
    return operations[operation].output;
}

bool operation_only_up(enum operation operation) {
    return operation_has_root(operation) && (operation_reduces(operation) || operation_input(operation) == CONTENT_OWN);
}

bool operation_only_down(enum operation operation) {
    return operation_has_root(operation) && !operation_only_up(operation);
}
