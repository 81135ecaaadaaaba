/* CPython's layout of frames and code objects: byte offsets within its structures, which no header guarantees.
 *
 * The offsets are fixed within a minor release. For 3.11 and 3.12 they were taken from the interpreter's source. From
 * 3.13 on the interpreter publishes them, at the beginning of _PyRuntime. self_test.h checks them in this process. */
#ifndef HOPSCOPE_PYTHON_LAYOUT_H
#define HOPSCOPE_PYTHON_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

/* X(name) for each offset, a uint32_t. A thread's state points to its innermost frame; in 3.11 and 3.12 it points to a
 * C frame, which points to the innermost frame. */
#define PYTHON_OFFSETS(X)                                                                                              \
    X(state_interpreter)                                                                                               \
    X(state_frame)                                                                                                     \
    X(c_frame) /* PYTHON_NO_C_FRAME: state_frame points to the frame directly */                                       \
    X(frame_previous)                                                                                                  \
    X(frame_code)                                                                                                      \
    X(frame_instruction)                                                                                               \
    X(frame_owner)                                                                                                     \
    X(code_first_line)                                                                                                 \
    X(code_file)                                                                                                       \
    X(code_name) /* the qualified name */                                                                              \
    X(code_lines)                                                                                                      \
    X(code_bytecode)                                                                                                   \
    X(text_ascii)   /* from a text object to its characters, if all are ASCII */                                       \
    X(text_compact) /* from a text object to its characters, if not all are ASCII */

#define PYTHON_NO_C_FRAME UINT32_MAX

struct python_layout {
#define OFFSET(name) uint32_t name;
    PYTHON_OFFSETS(OFFSET)
#undef OFFSET
};

/* Offsets that the public headers define. They are equal in all supported releases, except in free-threaded builds. */
enum {
    PYTHON_OBJECT_TYPE = 8,
    PYTHON_OBJECT_SIZE = 16,
    PYTHON_BYTES_DATA = 32,
    PYTHON_TEXT_LENGTH = 16,
    PYTHON_TEXT_STATE = 32,
};

/* Finds the layout. version: in the form of Py_Version, 0x030b07f0 for 3.11.7. published: the address of _PyRuntime,
 * NULL if the process has none. Returns false with a reason if the layout of this release or build is unknown. */
bool python_layout_find(unsigned long version, const void *published, struct python_layout *layout,
                        const char **reason);

#endif
