/* Reads one tree of a tree file. */
#ifndef HOPSCOPE_TREE_SPEC_FILE_H
#define HOPSCOPE_TREE_SPEC_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "plan/tree.h"

struct complaint;
struct json;

/* Fills in spec, which must be all zero. False with a complaint. Call tree_spec_clear even then. */
bool tree_spec_read(struct complaint *complaint, const char *name, const struct json *value, struct tree_spec *spec);
void tree_spec_clear(struct tree_spec *spec);

/* Reads a text that consists of one tree. NULL with a message `line:column: the fault`. Free the tree with
 * tree_spec_free. */
struct tree_spec *tree_spec_parse(const char *text, size_t length, char *message, size_t capacity);
void tree_spec_free(struct tree_spec *spec);

#endif
