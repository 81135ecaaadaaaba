#include "python/frames/self_test.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>

enum { MOST_FRAMES = 256, MAX_BYTES = 3 * PATH_MAX };

/* Compares a text read from memory with `expected`, a string object of the interpreter. */
static bool matches(const struct python_interpreter *py, const struct python_text *text, void *expected) {
    static const char bytes_as_they_are[] = "surrogateescape";
    char *copy = malloc(MAX_BYTES);
    size_t bytes = copy ? python_text_copy(&py->reader, text, copy, MAX_BYTES) : MAX_BYTES;
    void *read = bytes < MAX_BYTES ? py->PyUnicode_DecodeUTF8(copy, (intptr_t)bytes, bytes_as_they_are) : NULL;
    bool is_equal = read && expected && py->PyUnicode_Compare(read, expected) == 0;
    py->Py_DecRef(read);
    free(copy);
    return is_equal;
}

static bool attribute_is_same(const struct python_interpreter *py, const struct python_text *text, void *code,
                              const char *name) {
    void *expected = py->PyObject_GetAttrString(code, name);
    bool is_equal = matches(py, text, expected);
    py->Py_DecRef(expected);
    return is_equal;
}

static bool texts_are_read(const struct python_interpreter *py) {
    /* One text for each way in which Python stores strings: ASCII, and characters of 1, 2 and 4 bytes. */
    static const char *const texts[] = {"solve.py", "l\xC3\xB6se.py", "\xCE\xBB.py", "\xF0\x9F\x90\x8D.py"};
    bool good = true;
    for (size_t i = 0; i < sizeof texts / sizeof *texts && good; i++) {
        struct python_text text;
        void *object = py->PyUnicode_DecodeUTF8(texts[i], (intptr_t)strlen(texts[i]), NULL);
        good = object && python_read_text(&py->reader, (uintptr_t)object, &text) && matches(py, &text, object);
        py->Py_DecRef(object);
    }
    return good;
}

static bool is_same_frame(const struct python_interpreter *py, const struct python_code *code, void *frame) {
    void *expected = py->PyFrame_GetCode(frame);
    bool is_equal = expected == (void *)code->address && py->PyFrame_GetLasti(frame) == (int)code->instruction &&
                    py->PyFrame_GetLineNumber(frame) == python_line(&py->reader, code) &&
                    attribute_is_same(py, &code->file, expected, "co_filename") &&
                    attribute_is_same(py, &code->name, expected, "co_qualname");
    py->Py_DecRef(expected);
    return is_equal;
}

/* Returns this frame if it runs Python code, else the nearest caller that does. Fills in its code. */
static uintptr_t next_with_code(const struct python_reader *reader, uintptr_t frame, struct python_code *code) {
    for (int i = 0; frame && i < MOST_FRAMES; i++, frame = python_caller(reader, frame))
        if (python_read_code(reader, frame, code))
            return frame;
    return 0;
}

static bool frames_are_read(const struct python_interpreter *py, uintptr_t state) {
    struct python_code code;
    uintptr_t frame = next_with_code(&py->reader, python_innermost(&py->reader, state), &code);
    void *expected = py->PyEval_GetFrame();
    bool is_equal = frame && expected;
    py->Py_IncRef(expected);
    for (int i = 0; is_equal && expected && i < MOST_FRAMES; i++) {
        is_equal = frame && is_same_frame(py, &code, expected);
        void *caller = py->PyFrame_GetBack(expected);
        py->Py_DecRef(expected);
        expected = caller;
        frame = frame ? next_with_code(&py->reader, python_caller(&py->reader, frame), &code) : 0;
    }
    is_equal = is_equal && (expected || !frame);
    py->Py_DecRef(expected);
    return is_equal;
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
