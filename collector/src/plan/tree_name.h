/* The names of shapes and algorithms that users may give instead of a tree file: `binomial`, `kary:4`, `ring`,
 * `leaders:ring`. */
#ifndef HOPSCOPE_TREE_NAME_H
#define HOPSCOPE_TREE_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* Writes the text of the tree file that a name stands for. The file has one rule, for all operations that the shape or
 * algorithm can run. Returns the length without the NUL; 0 if there is no such name or capacity is too small (600 bytes
 * suffice). */
size_t tree_name_text(const char *name, char *text, size_t capacity);
/* Writes the error message for an unknown name. It suggests a similar name, or lists all names. */
void tree_name_explain(const char *word, char *text, size_t capacity);

#endif
