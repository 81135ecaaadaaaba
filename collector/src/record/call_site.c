#include "record/call_site.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "record/definitions.h"
#include "record/module.h"
#include "record/record.h"

_Thread_local struct call_site_cache_entry call_site_cache[CALL_SITE_CACHE] __attribute__((tls_model("initial-exec")));

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct call_site_cache_entry *table; /* open addressing; the size is a power of two */
static size_t capacity, used;

static struct call_site_cache_entry *slot_of(struct call_site_cache_entry *sites, size_t size, uintptr_t address) {
    size_t i = (address * 0x9E3779B97F4A7C15u >> 20) & (size - 1);
    while (sites[i].address && sites[i].address != address)
        i = (i + 1) & (size - 1);
    return &sites[i];
}

static bool grow(void) {
    size_t size = capacity ? capacity * 2 : 256;
    struct call_site_cache_entry *larger = calloc(size, sizeof *larger);
    if (!larger)
        return false;
    for (size_t i = 0; i < capacity; i++)
        if (table[i].address)
            *slot_of(larger, size, table[i].address) = table[i];
    free(table);
    table = larger;
    capacity = size;
    return true;
}

/* Uses the last byte of the call instruction, because the next instruction may belong to the next source line. */
static void define(uint32_t id, uintptr_t address) {
    Dl_info info = {0};
    bool has_module = dladdr((const void *)(address - 1), &info) != 0 && info.dli_fname;
    struct line line;
    line_begin(&line, "call_site");
    line_unsigned(&line, "id", id);
    line_text(&line, "module", has_module ? info.dli_fname : NULL);
    line_unsigned(&line, "offset", address - 1 - (has_module ? (uintptr_t)info.dli_fbase : 0));
    line_text(&line, "symbol", has_module ? info.dli_sname : NULL);
    line_end(&line);
    if (has_module)
        module_define(address - 1, (uintptr_t)info.dli_fbase, info.dli_fname);
}

uint32_t call_site_number(uintptr_t number, bool *fresh) {
    *fresh = false;
    if (!record_is_on())
        return 0;
    int saved_errno = errno;
    uint32_t id = 0;
    pthread_mutex_lock(&lock);
    if (used * 2 < capacity || grow()) {
        struct call_site_cache_entry *entry = slot_of(table, capacity, number);
        *fresh = !entry->address;
        if (*fresh)
            *entry = (struct call_site_cache_entry){number, (uint32_t)++used};
        id = entry->id;
    }
    pthread_mutex_unlock(&lock);
    errno = saved_errno;
    return id;
}

uint32_t call_site_look_up(uintptr_t address, bool *fresh) {
    uint32_t id = call_site_number(address, fresh);
    if (*fresh) {
        int saved_errno = errno;
        define(id, address);
        errno = saved_errno;
    }
    return id;
}
