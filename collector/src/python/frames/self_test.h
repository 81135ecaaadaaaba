/* Whether reading frames raw gives what the interpreter itself says. */
#ifndef HOPSCOPE_PYTHON_SELF_TEST_H
#define HOPSCOPE_PYTHON_SELF_TEST_H

#include "python/frames/interpreter.h"

/* Compares all frames of this thread, which must hold the interpreter's lock, and texts of every kind. Reads guarded,
 * so a wrong layout does no harm. NULL: they agree, and reader.interpreter is set; else a reason. */
const char *python_self_test(struct python_interpreter *interpreter);

#endif
