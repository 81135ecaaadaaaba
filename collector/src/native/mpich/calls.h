/* Finds the MPICH functions through which every message of its collectives passes (MPIC_Send, MPIC_Wait, ...), and the
 * calls of these functions. The functions have no symbols. But their error messages contain their names, and the table
 * for unwinding exceptions has the bounds of functions. This file supports only x86-64. It only reads the code. */
#ifndef HOPSCOPE_MPICH_CALLS_H
#define HOPSCOPE_MPICH_CALLS_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* X(name, required) for each function MPIC_<name>. required: every release has the function. */
#define MPICH_HELPERS(X)                                                                                               \
    X(Send, true)                                                                                                      \
    X(Recv, true)                                                                                                      \
    X(Ssend, false)                                                                                                    \
    X(Sendrecv, true)                                                                                                  \
    X(Sendrecv_replace, true)                                                                                          \
    X(Isend, true)                                                                                                     \
    X(Issend, false)                                                                                                   \
    X(Irecv, true)                                                                                                     \
    X(Wait, true)                                                                                                      \
    X(Waitall, true)

enum mpich_helper {
#define MPICH_HELPER(name, ...) MPICH_##name,
    MPICH_HELPERS(MPICH_HELPER)
#undef MPICH_HELPER
        MPICH_HELPER_COUNT
};

const char *mpich_helper_name(enum mpich_helper helper);

/* The mapped segments of a library's file, or of the library in this process. All addresses are as in the file, that
 * is, without the base address at which the library is loaded. */
enum { MPICH_MOST_SEGMENTS = 8 };
struct mpich_image {
    int count;
    struct mpich_segment {
        const unsigned char *bytes;
        uint64_t begin, size;
        bool code;
    } segments[MPICH_MOST_SEGMENTS];
    uint64_t unwinding; /* the table of functions (.eh_frame_hdr) */
};

/* Describes a library's file. False if it is not a whole shared library for x86-64. */
bool mpich_image_of_file(struct mpich_image *image, const unsigned char *bytes, size_t size);
/* Describes the library in this process. False if it has too many segments. */
bool mpich_image_of_loaded(struct mpich_image *image, ElfW(Addr) base, const ElfW(Phdr) * headers, int count);

enum { MPICH_MOST_CALLS = 2048 };
struct mpich_layout {
    uint64_t functions[MPICH_HELPER_COUNT]; /* 0: this release lacks the function */
    int call_count;
    struct mpich_call {
        uint64_t address; /* of the call instruction, which is one byte and then four bytes of distance */
        enum mpich_helper helper;
    } calls[MPICH_MOST_CALLS];
};

/* Finds all helpers and their calls. Returns false with a reason if a helper is not found without doubt, or if anything
 * other than a plain call leads to it. */
bool mpich_find_helpers(const struct mpich_image *image, struct mpich_layout *layout, char *reason, size_t capacity);

#endif
