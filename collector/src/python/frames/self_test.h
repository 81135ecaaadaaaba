/* Checks raw frames against the interpreter's own account. */
#ifndef HOPSCOPE_PYTHON_SELF_TEST_H
#define HOPSCOPE_PYTHON_SELF_TEST_H

#include "python/frames/interpreter.h"

/* Compares all frames of this thread, which must hold the interpreter's lock, and texts of every kind. Reads are
 * guarded, so a wrong layout does no harm. Returns NULL, and sets reader.interpreter, if they agree; else a reason. */
const char *python_self_test(struct python_interpreter *interpreter);

#endif
