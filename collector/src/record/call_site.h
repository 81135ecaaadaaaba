/* Where in the program an MPI function was called. */
#ifndef HOPSCOPE_CALL_SITE_H
#define HOPSCOPE_CALL_SITE_H

#include <stddef.h>
#include <stdint.h>

struct call_site_cache_entry {
    uintptr_t address;
    uint32_t id;
};

enum { CALL_SITE_CACHE = 64 };

extern _Thread_local struct call_site_cache_entry call_site_cache[CALL_SITE_CACHE]
    __attribute__((tls_model("initial-exec")));

/* The id of a call site that is not in this thread's cache. Its first use in the process writes its definition. 0 if
 * recording is off. */
uint32_t call_site_look_up(uintptr_t address);

/* return_address: __builtin_return_address(0) of the wrapper. */
static inline uint32_t call_site_id(const void *return_address) {
    uintptr_t address = (uintptr_t)return_address;
    struct call_site_cache_entry *entry = &call_site_cache[(address >> 2 ^ address >> 8) % CALL_SITE_CACHE];
    if (__builtin_expect(entry->address != address, 0)) {
        uint32_t id = call_site_look_up(address);
        if (!id)
            return 0;
        entry->address = address;
        entry->id = id;
    }
    return entry->id;
}

#endif
