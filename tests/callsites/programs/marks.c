/* Prints the location that the collector would record for some calls: the offset of the call's last byte in its module.
 * Each call has a name, so that a test can compare. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>

__attribute__((noinline)) void mark(const char *name) {
    uintptr_t address = (uintptr_t)__builtin_return_address(0) - 1;
    Dl_info info;
    dladdr((void *)address, &info);
    printf("%s %lx\n", name, (unsigned long)(address - (uintptr_t)info.dli_fbase));
    fflush(stdout);
}

static inline __attribute__((always_inline)) void inner(void) {
    mark("inlined");
    __asm__ volatile("");
}

static inline __attribute__((always_inline)) void middle(void) {
    inner();
}

__attribute__((noinline)) void outer(void) {
    middle();
    __asm__ volatile("");
}

__attribute__((noinline)) void last(void) {
    /* The return address of this call already belongs to the next line. */
    mark("plain");
    __asm__ volatile("");
}

int main(void) {
    outer();
    last();
    return 0;
}
