/* The Python interpreter of this process, if there is one. Its functions are looked up by name at run time, not linked,
 * so the collector also works without Python. */
#ifndef HOPSCOPE_PYTHON_INTERPRETER_H
#define HOPSCOPE_PYTHON_INTERPRETER_H

#include "python/frames/frame.h"

/* X(result, name, parameters) */
#define PYTHON_FUNCTIONS(X)                                                                                            \
    X(int, Py_IsInitialized, (void))                                                                                   \
    X(void *, PyGILState_GetThisThreadState, (void))                                                                   \
    X(void *, PyThreadState_GetInterpreter, (void *state))                                                             \
    X(void *, PyEval_GetFrame, (void))                                                                                 \
    X(void *, PyFrame_GetBack, (void *frame))                                                                          \
    X(void *, PyFrame_GetCode, (void *frame))                                                                          \
    X(int, PyFrame_GetLasti, (void *frame))                                                                            \
    X(int, PyFrame_GetLineNumber, (void *frame))                                                                       \
    X(void *, PyObject_GetAttrString, (void *object, const char *name))                                                \
    X(void *, PyUnicode_DecodeUTF8, (const char *text, intptr_t bytes, const char *errors))                            \
    X(int, PyUnicode_Compare, (void *one, void *other))                                                                \
    X(void *, PyErr_Occurred, (void))                                                                                  \
    X(void, PyErr_Clear, (void))                                                                                       \
    X(void, Py_IncRef, (void *object))                                                                                 \
    X(void, Py_DecRef, (void *object))

struct python_interpreter {
#define MEMBER(result, name, parameters) result(*name) parameters;
    PYTHON_FUNCTIONS(MEMBER)
#undef MEMBER
    /* Returns the state of the thread that holds the interpreter's lock, or NULL. From 3.12 on, returns NULL too if
     * another thread holds the lock. */
    void *(*holder)(void);
    unsigned long version;
    struct python_reader reader;
};

/* Fills in all members except reader.interpreter. On failure returns false with a reason. */
bool python_interpreter_find(struct python_interpreter *interpreter, const char **reason);

/* True if this thread may call the interpreter and no exception is pending that a call could lose. Takes no lock.
 * (PyGILState_Check() would not do: it is true for every thread if a program has several interpreters.) */
static inline bool python_may_call(const struct python_interpreter *interpreter) {
    void *state = interpreter->Py_IsInitialized() ? interpreter->PyGILState_GetThisThreadState() : NULL;
    return state && interpreter->holder() == state && !interpreter->PyErr_Occurred();
}

#endif
