/* Checks that frames read from memory are the same as those that the interpreter's functions return. */
#ifndef HOPSCOPE_PYTHON_SELF_TEST_H
#define HOPSCOPE_PYTHON_SELF_TEST_H

#include "python/frames/interpreter.h"

/* Compares all frames of this thread, and texts of every kind. The thread must hold the interpreter's lock. Reads are
 * guarded, so a wrong layout does no harm. If all are the same, sets reader.interpreter and returns NULL; else returns
 * a reason. */
const char *python_self_test(struct python_interpreter *interpreter);

#endif
