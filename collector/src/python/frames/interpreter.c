#include "python/frames/interpreter.h"

#include <dlfcn.h>

static void *find(const char *name) {
    return dlsym(RTLD_DEFAULT, name);
}

bool python_interpreter_find(struct python_interpreter *interpreter, const char **reason) {
    *interpreter = (struct python_interpreter){0};
    bool complete = true;
#define LOOK_UP(result, name, parameters)                                                                              \
    interpreter->name = (result(*) parameters)find(#name);                                                             \
    complete = complete && interpreter->name;
    PYTHON_FUNCTIONS(LOOK_UP)
#undef LOOK_UP
    interpreter->holder = (void *(*)(void))find("PyThreadState_GetUnchecked");
    if (!interpreter->holder)
        interpreter->holder = (void *(*)(void))find("_PyThreadState_UncheckedGet");
    const unsigned long *version = find("Py_Version");
    struct python_reader *reader = &interpreter->reader;
    *reader = (struct python_reader){
        .memory = MEMORY_DIRECT,
        .code_type = (uintptr_t)find("PyCode_Type"),
        .text_type = (uintptr_t)find("PyUnicode_Type"),
        .bytes_type = (uintptr_t)find("PyBytes_Type"),
    };
    if (!complete || !interpreter->holder || !version || !reader->code_type || !reader->text_type ||
        !reader->bytes_type) {
        *reason = "the interpreter is older than CPython 3.11, or does not show its functions";
        return false;
    }
    interpreter->version = *version;
    return python_layout_find(*version, find("_PyRuntime"), &reader->layout, reason);
}
