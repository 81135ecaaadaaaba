/* CPython's layout of frames and code objects: byte offsets within its structures, which no header guarantees.
 *
 * The offsets are fixed within a minor release. Those of 3.11 and 3.12 are known from the headers. From 3.13 on the
 * interpreter publishes its own offsets, at the beginning of _PyRuntime. self_test.h checks them in this process. */
#ifndef HOPSCOPE_PYTHON_LAYOUT_H
#define HOPSCOPE_PYTHON_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

/* X(name), all uint32_t. A thread's state points to its innermost frame; in 3.11 and 3.12 by way of a C frame. */
#define PYTHON_OFFSETS(X)                                                                                              \
    X(state_interpreter)                                                                                               \
    X(state_frame)                                                                                                     \
    X(c_frame) /* PYTHON_NO_C_FRAME: state_frame is the frame itself */                                                \
    X(frame_previous)                                                                                                  \
    X(frame_code)                                                                                                      \
    X(frame_instruction)                                                                                               \
    X(frame_owner)                                                                                                     \
    X(code_first_line)                                                                                                 \
    X(code_file)                                                                                                       \
    X(code_name) /* qualified */                                                                                       \
    X(code_lines)                                                                                                      \
    X(code_bytecode)                                                                                                   \
    X(text_ascii)   /* from a text object to its characters, if all are ASCII */                                       \
    X(text_compact) /* the same, if not all are ASCII */

#define PYTHON_NO_C_FRAME UINT32_MAX

struct python_layout {
#define OFFSET(name) uint32_t name;
    PYTHON_OFFSETS(OFFSET)
#undef OFFSET
};

/* From public headers; equal in all supported releases except free-threaded builds. */
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
