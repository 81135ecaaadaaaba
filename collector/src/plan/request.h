/* The tree or topology that the user asked for: the text of a file or, for a name (`binomial`, `kary:4`, `ring`), of
 * the tree file that it stands for. */
#ifndef HOPSCOPE_REQUEST_H
#define HOPSCOPE_REQUEST_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

struct requested_text {
    char *text; /* NULL: not asked for */
    size_t length;
    char name[PATH_MAX]; /* for messages: the file, or the given name after the prefix */
};

/* False with a message `PATH: why`. */
bool requested_file_read(struct requested_text *out, const char *path, char *message, size_t capacity);
/* A file or a name. prefix: precedes a name in messages, for example "HOPSCOPE_TREE=". False with a message that says
 * what was given, what is wrong with it, and what exists. */
bool requested_tree_read(struct requested_text *out, const char *value, const char *prefix, char *message,
                         size_t capacity);

#endif
