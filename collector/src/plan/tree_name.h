/* The names of shapes and algorithms as users give them instead of a tree file: `binomial`, `kary:4`, `ring`,
 * `leaders:ring`. */
#ifndef HOPSCOPE_TREE_NAME_H
#define HOPSCOPE_TREE_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* The text of the tree file that a name stands for: it runs all operations that it can over that shape or by that
 * algorithm. Returns its length without the NUL; 0 if no such name exists or capacity is too small (600 bytes do). */
size_t tree_name_text(const char *name, char *out, size_t capacity);
/* Explains what is wrong with an unknown name: what was probably meant, or which names exist. */
void tree_name_explain(const char *word, char *out, size_t capacity);

#endif
