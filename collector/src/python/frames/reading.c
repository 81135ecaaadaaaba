#include "python/frames/reading.h"

__attribute__((visibility("default")))
const struct python_reading hopscope_python_reading = {.interpreter_find = python_interpreter_find,
                                                       .self_test = python_self_test,
                                                       .innermost = python_innermost,
                                                       .caller = python_caller,
                                                       .read_code = python_read_code,
                                                       .text_copy = python_text_copy,
                                                       .line = python_line};
