/* The process's command line as one would type it. */
#ifndef HOPSCOPE_COMMAND_LINE_H
#define HOPSCOPE_COMMAND_LINE_H

#include <stddef.h>

/* The words of /proc/self/cmdline, each as a POSIX shell takes it back: in quotes only where it needs them. Whole words
 * only, as many as fit into capacity bytes; empty if the file cannot be read. */
void read_command_line(char *out, size_t capacity);
/* The same for words that end in NUL each, of length bytes together. */
void quote_words(char *out, size_t capacity, const char *words, size_t length);

#endif
