/* Reads one tree of a tree file. */
#ifndef HOPSCOPE_TREE_SPEC_FILE_H
#define HOPSCOPE_TREE_SPEC_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "plan/tree.h"

struct complaint;
struct json;

/* Fills spec, which must be all zero. Call tree_spec_clear even if it returns false. False with a complaint. */
bool tree_spec_read(struct complaint *complaint, const char *name, const struct json *value, struct tree_spec *spec);
void tree_spec_clear(struct tree_spec *spec);

/* Reads a text that holds one tree and nothing else. NULL with a message `line:column: the fault`. Free with
 * tree_spec_free. */
struct tree_spec *tree_spec_parse(const char *text, size_t length, char *message, size_t capacity);
void tree_spec_free(struct tree_spec *spec);

#endif
