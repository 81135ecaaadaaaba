/* The text of the tree file or topology file that the user requested. If the user gave only a name (`binomial`,
 * `kary:4`, `ring`), it is the text of the equivalent tree file. */
#ifndef HOPSCOPE_REQUEST_H
#define HOPSCOPE_REQUEST_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

struct requested_text {
    char *text; /* the caller frees it; NULL: the user requested nothing */
    size_t length;
    char name[PATH_MAX]; /* for messages: the path of the file, or the prefix and the given name */
};

/* Reads a file. False with a message `PATH: error`. */
bool requested_file_read(struct requested_text *request, const char *path, char *message, size_t capacity);
/* Reads a file, or the tree that a name stands for. prefix: precedes a name in messages, for example "HOPSCOPE_TREE=".
 * False with a message that has the given text, the fault, and the known names. */
bool requested_tree_read(struct requested_text *request, const char *value, const char *prefix, char *message,
                         size_t capacity);

#endif
