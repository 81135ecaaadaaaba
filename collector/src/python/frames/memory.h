/* Reads an interpreter's memory. An address that may be invalid is read in a guarded way; otherwise directly. */
#ifndef HOPSCOPE_PYTHON_MEMORY_H
#define HOPSCOPE_PYTHON_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

/* Value of `file` for direct reads. Otherwise `file` is a descriptor of /proc/self/mem: reading it fails if there is no
 * memory at the address, instead of ending the process. */
enum { MEMORY_DIRECT = -1 };

/* Copies bytes from an address. False if they are not readable. */
static inline bool memory_read(int file, uintptr_t address, void *target, size_t bytes) {
    if (__builtin_expect(file == MEMORY_DIRECT, 1)) {
        memcpy(target, (const void *)address, bytes);
        return true;
    }
    return (address >> 63) == 0 && pread(file, target, bytes, (off_t)address) == (ssize_t)bytes;
}

/* The word at an address; 0 if it is not readable. */
static inline uintptr_t memory_word(int file, uintptr_t address) {
    uintptr_t word = 0;
    return memory_read(file, address, &word, sizeof word) ? word : 0;
}

#endif
