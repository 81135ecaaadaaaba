/* Where in the program an MPI function was called. */
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

/* Where the cache has a call site, if it has it. */
static inline struct call_site_cache_entry *call_site_cached(uintptr_t address) {
    return &call_site_cache[(address >> 2 ^ address >> 8) % CALL_SITE_CACHE];
}

/* The id of a call site in machine code. Its first use in the process, *fresh, writes its definition. 0 if recording is
 * off. */
uint32_t call_site_look_up(uintptr_t address, bool *fresh);

/* The id of any other kind of call site, by a number that no address has: its highest bit is set. If it is fresh, the
 * caller defines it. 0 if recording is off. */
uint32_t call_site_number(uintptr_t number, bool *fresh);

#endif
