/* Reads the Python frames of the calling thread from memory. The thread has released the interpreter's lock, so it must
 * not call the interpreter. It is inside a wrapper, so its frames, their code and their texts do not change meanwhile.
 */
#ifndef HOPSCOPE_PYTHON_FRAME_H
#define HOPSCOPE_PYTHON_FRAME_H

#include "python/frames/layout.h"
#include "python/frames/memory.h"

/* Access to the interpreter of this process. */
struct python_reader {
    struct python_layout layout;
    int memory; /* how memory is read: a descriptor or MEMORY_DIRECT (memory.h) */
    uintptr_t code_type, text_type, bytes_type;
    uintptr_t interpreter; /* the one whose frames are read; other interpreters have their own types */
};

struct python_text {
    uintptr_t characters;
    size_t count;
    uint32_t width; /* bytes of a character: 1, 2 or 4 */
};

/* A code object and the position in it. */
struct python_code {
    uintptr_t address;
    uint32_t instruction; /* bytes from the beginning of the bytecode */
    int32_t first_line;
    struct python_text file, name;
    uintptr_t lines; /* the location table */
    size_t lines_bytes;
};

/* The innermost frame of a thread state; 0 if it has no frame, or belongs to another interpreter. */
uintptr_t python_innermost(const struct python_reader *reader, uintptr_t state);
uintptr_t python_caller(const struct python_reader *reader, uintptr_t frame);
/* Finds a frame's code. False for a frame that stands for C code, or that does not refer to a valid code object. */
bool python_read_code(const struct python_reader *reader, uintptr_t frame, struct python_code *code);
/* Finds the characters of a Python string. False: the object is not a string, or its layout is unknown. */
bool python_read_text(const struct python_reader *reader, uintptr_t object, struct python_text *text);
/* Writes the text in UTF-8, with a NUL, and returns its length. If the length exceeds the room, the output is unusable.
 * 0: the text is empty or not readable. A byte of a file name that was not UTF-8, for which Python stores a surrogate,
 * is written as the original byte. */
size_t python_text_copy(const struct python_reader *reader, const struct python_text *text, char *output, size_t room);
/* The line of the instruction; -1: it has no line. */
int python_line(const struct python_reader *reader, const struct python_code *code);

#endif
