#include "python/frames/self_test.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>

enum { MOST_FRAMES = 256, LONGEST = 3 * PATH_MAX };

/* Compares a text as read with one as the interpreter has it. */
static bool is_same(const struct python_interpreter *py, const struct python_text *text, void *said) {
    static const char bytes_as_they_are[] = "surrogateescape";
    char *copy = malloc(LONGEST);
    size_t bytes = copy ? python_text_copy(&py->reader, text, copy, LONGEST) : LONGEST;
    void *read = bytes < LONGEST ? py->PyUnicode_DecodeUTF8(copy, (intptr_t)bytes, bytes_as_they_are) : NULL;
    bool same = read && said && py->PyUnicode_Compare(read, said) == 0;
    py->Py_DecRef(read);
    free(copy);
    return same;
}

static bool attribute_is_same(const struct python_interpreter *py, const struct python_text *text, void *code,
                              const char *name) {
    void *said = py->PyObject_GetAttrString(code, name);
    bool same = is_same(py, text, said);
    py->Py_DecRef(said);
    return same;
}

static bool texts_are_read(const struct python_interpreter *py) {
    /* ASCII, and characters of 1, 2 and 4 bytes. */
    static const char *const texts[] = {"solve.py", "l\xC3\xB6se.py", "\xCE\xBB.py", "\xF0\x9F\x90\x8D.py"};
    bool good = true;
    for (size_t i = 0; i < sizeof texts / sizeof *texts && good; i++) {
        struct python_text text;
        void *object = py->PyUnicode_DecodeUTF8(texts[i], (intptr_t)strlen(texts[i]), NULL);
        good = object && python_read_text(&py->reader, (uintptr_t)object, &text) && is_same(py, &text, object);
        py->Py_DecRef(object);
    }
    return good;
}

static bool is_same_frame(const struct python_interpreter *py, const struct python_code *code, void *frame) {
    void *said = py->PyFrame_GetCode(frame);
    bool same = said == (void *)code->address && py->PyFrame_GetLasti(frame) == (int)code->instruction &&
                py->PyFrame_GetLineNumber(frame) == python_line(&py->reader, code) &&
                attribute_is_same(py, &code->file, said, "co_filename") &&
                attribute_is_same(py, &code->name, said, "co_qualname");
    py->Py_DecRef(said);
    return same;
}

/* The next frame outwards, from this one on, that runs Python code. */
static uintptr_t next_with_code(const struct python_reader *reader, uintptr_t frame, struct python_code *code) {
    for (int i = 0; frame && i < MOST_FRAMES; i++, frame = python_caller(reader, frame))
        if (python_read_code(reader, frame, code))
            return frame;
    return 0;
}

static bool frames_are_read(const struct python_interpreter *py, uintptr_t state) {
    struct python_code code;
    uintptr_t frame = next_with_code(&py->reader, python_innermost(&py->reader, state), &code);
    void *said = py->PyEval_GetFrame();
    bool same = frame && said;
    py->Py_IncRef(said);
    for (int i = 0; same && said && i < MOST_FRAMES; i++) {
        same = frame && is_same_frame(py, &code, said);
        void *back = py->PyFrame_GetBack(said);
        py->Py_DecRef(said);
        said = back;
        frame = frame ? next_with_code(&py->reader, python_caller(&py->reader, frame), &code) : 0;
    }
    same = same && (said || !frame);
    py->Py_DecRef(said);
    return same;
}

const char *python_self_test(struct python_interpreter *interpreter) {
    struct python_reader *reader = &interpreter->reader;
    void *state = interpreter->PyGILState_GetThisThreadState();
    reader->interpreter = (uintptr_t)interpreter->PyThreadState_GetInterpreter(state);
    reader->memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
    if (reader->memory < 0) {
        reader->memory = MEMORY_DIRECT;
        return "/proc/self/mem cannot be opened, which the self-test needs";
    }
    const char *reason = !texts_are_read(interpreter)                      ? "its texts are not where they should be"
                         : !frames_are_read(interpreter, (uintptr_t)state) ? "its frames are not where they should be"
                                                                           : NULL;
    close(reader->memory);
    reader->memory = MEMORY_DIRECT;
    interpreter->PyErr_Clear();
    return reason;
}
