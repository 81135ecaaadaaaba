/* Reads one tree of a tree file. */
#ifndef HOPSCOPE_TREE_SPEC_FILE_H
#define HOPSCOPE_TREE_SPEC_FILE_H

#include "plan/complaint.h"
#include "plan/tree.h"

/* Fills spec, which is all zero before. On false spec still needs tree_spec_clear. */
bool tree_spec_read(struct complaint *complaint, const char *name, const struct json *value, int world_size,
                    struct tree_spec *spec);
void tree_spec_clear(struct tree_spec *spec);

#endif
