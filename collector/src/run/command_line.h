/* The process's command line, as a user would type it. */
#ifndef HOPSCOPE_COMMAND_LINE_H
#define HOPSCOPE_COMMAND_LINE_H

#include <stddef.h>

/* Writes the words of /proc/self/cmdline, quoted for a POSIX shell where necessary. Writes as many whole words as fit
 * into capacity bytes; an empty text if the file cannot be read. */
void read_command_line(char *output, size_t capacity);
/* Like read_command_line, for NUL-terminated words of `length` bytes in total. */
void quote_words(char *output, size_t capacity, const char *words, size_t length);

#endif
