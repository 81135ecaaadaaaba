/* Makes the reader of Python's frames usable from Python, which loads it with ctypes. */
#include <stdlib.h>

#include "python/frames/location_table.h"
#include "python/frames/self_test.h"

#define EXPORTED __attribute__((visibility("default")))

EXPORTED const char *offset_name(int number);
EXPORTED const char *prepare(int shifted, int distance);
EXPORTED int innermost_place(char *file, char *name, size_t room);
EXPORTED int line_at(const uint8_t *table, size_t bytes, int first_line, uint32_t instruction);

static struct python_interpreter interpreter;

static const char *const names[] = {
#define NAME(name) #name,
    PYTHON_OFFSETS(NAME)
#undef NAME
};

/* The name of an offset; NULL after the last one. */
const char *offset_name(int number) {
    return number < (int)(sizeof names / sizeof *names) ? names[number] : NULL;
}

/* Prepares reading. Call it with the interpreter's lock. shifted: the number of an offset that is changed by
 * `distance`; -1: none. Returns NULL, or the reason why frames cannot be read. */
const char *prepare(int shifted, int distance) {
    const char *reason;
    if (!python_interpreter_find(&interpreter, &reason))
        return reason;
    if (!python_may_call(&interpreter))
        return "the lock is not held";
    if (shifted >= 0)
        ((uint32_t *)&interpreter.reader.layout)[shifted] += (uint32_t)distance;
    return python_self_test(&interpreter);
}

/* Returns the number of the Python line that calls this function. Call it without the interpreter's lock. -2: no line
 * can be read. -3: the thread has the lock. */
int innermost_place(char *file, char *name, size_t room) {
    const struct python_reader *reader = &interpreter.reader;
    struct python_code code;
    if (python_may_call(&interpreter))
        return -3;
    uintptr_t frame = python_innermost(reader, (uintptr_t)interpreter.PyGILState_GetThisThreadState());
    while (frame && !python_read_code(reader, frame, &code))
        frame = python_caller(reader, frame);
    if (!frame || python_text_copy(reader, &code.file, file, room) >= room ||
        python_text_copy(reader, &code.name, name, room) >= room)
        return -2;
    return python_line(reader, &code);
}

int line_at(const uint8_t *table, size_t bytes, int first_line, uint32_t instruction) {
    return location_table_line(table, bytes, first_line, instruction);
}
