/* The functions that libhopscope-python.so offers to the collector, which loads it only into processes with a Python
 * interpreter. */
#ifndef HOPSCOPE_PYTHON_READING_H
#define HOPSCOPE_PYTHON_READING_H

#include "python/frames/self_test.h"

struct python_reading {
    bool (*interpreter_find)(struct python_interpreter *interpreter, const char **reason);
    const char *(*self_test)(struct python_interpreter *interpreter);
    uintptr_t (*innermost)(const struct python_reader *reader, uintptr_t state);
    uintptr_t (*caller)(const struct python_reader *reader, uintptr_t frame);
    bool (*read_code)(const struct python_reader *reader, uintptr_t frame, struct python_code *code);
    size_t (*text_copy)(const struct python_reader *reader, const struct python_text *text, char *output, size_t room);
    int (*line)(const struct python_reader *reader, const struct python_code *code);
};

#define PYTHON_LIBRARY "libhopscope-python.so"
#define PYTHON_READING "hopscope_python_reading" /* the symbol of its struct python_reading */

#endif
