/* Checks frames read from memory against what the interpreter says of them. */
#ifndef HOPSCOPE_PYTHON_SELF_TEST_H
#define HOPSCOPE_PYTHON_SELF_TEST_H

#include "python/frames/interpreter.h"

/* Compares all frames of this thread, which must hold the interpreter's lock, and texts of every kind. Reads are
 * guarded, so a wrong layout does no harm. If they agree, sets reader.interpreter and returns NULL; else returns a
 * reason. */
const char *python_self_test(struct python_interpreter *interpreter);

#endif
