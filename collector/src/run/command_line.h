/* The process's command line as one would type it. */
#ifndef HOPSCOPE_COMMAND_LINE_H
#define HOPSCOPE_COMMAND_LINE_H

#include <stddef.h>

/* The words of /proc/self/cmdline, quoted for a POSIX shell where needed. Writes as many whole words as fit into
 * capacity bytes; empty if the file cannot be read. */
void read_command_line(char *out, size_t capacity);
/* The same for NUL-terminated words, length bytes together. */
void quote_words(char *out, size_t capacity, const char *words, size_t length);

#endif
