/* Call sites: the places in the program that call MPI functions. */
#ifndef HOPSCOPE_CALL_SITE_H
#define HOPSCOPE_CALL_SITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct call_site_cache_entry {
    uintptr_t address;
    uint32_t id;
};

enum { CALL_SITE_CACHE = 64 };

extern _Thread_local struct call_site_cache_entry call_site_cache[CALL_SITE_CACHE]
    __attribute__((tls_model("initial-exec")));

/* The cache entry for this address. It holds the call site only if the entry's own address is the same. */
static inline struct call_site_cache_entry *call_site_cached(uintptr_t address) {
    return &call_site_cache[(address >> 2 ^ address >> 8) % CALL_SITE_CACHE];
}

/* Returns the id of a call site in machine code, or 0 if recording is off. The first use in the process writes the
 * definition and sets *fresh. */
uint32_t call_site_look_up(uintptr_t address, bool *fresh);

/* Returns the id of any other kind of call site, or 0 if recording is off. Its highest bit is set, so that it differs
 * from all addresses. If *fresh is set, the caller writes the definition. */
uint32_t call_site_number(uintptr_t number, bool *fresh);

#endif
