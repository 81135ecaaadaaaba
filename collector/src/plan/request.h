/* What the user asked for by a tree or a topology: a file's text, or of a name (`binomial`, `kary:4`, `ring`) the text
 * of the tree file that it stands for. */
#ifndef HOPSCOPE_REQUEST_H
#define HOPSCOPE_REQUEST_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

struct requested_text {
    char *text; /* NULL: not asked for */
    size_t length;
    char name[PATH_MAX]; /* for messages: the file, or what was given, behind the prefix */
};

/* False with a message `PATH: why`. */
bool requested_file_read(struct requested_text *out, const char *path, char *message, size_t capacity);
/* A file, or a name. prefix: what stands before a name in messages, as "HOPSCOPE_TREE=". False with a message that says
 * what was given, what is wrong with it, and what there is. */
bool requested_tree_read(struct requested_text *out, const char *value, const char *prefix, char *message,
                         size_t capacity);

#endif
