#include "native/mpich/redirect.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A thunk is the instruction jmp *(%rip), followed by the address to which it jumps. */
enum { THUNK_BYTES = 16, JUMP_BYTES = 6, CALL_BYTES = 5 };
static const unsigned char jump[JUMP_BYTES] = {0xff, 0x25};

static bool refuse(char *reason, size_t capacity, const char *failure) {
    snprintf(reason, capacity, "%s: %s", failure, strerror(errno));
    return false;
}

/* True if all calls can reach the thunks, that is, if the distance from each call's end fits into 32 bits. */
static bool is_in_reach(const struct loaded_object *library, const struct mpich_layout *layout, ElfW(Addr) thunks) {
    for (int i = 0; i < layout->call_count; i++) {
        int64_t distance = (int64_t)(thunks - (library->base + layout->calls[i].address));
        if (distance > INT32_MAX - 0x10000 || distance < INT32_MIN + 0x10000)
            return false;
    }
    return true;
}

/* Maps a page near the library, within reach of all calls. NULL if no address there is free. */
static unsigned char *map_near(const struct loaded_object *library, const struct mpich_layout *layout, size_t page) {
    enum { STEP = 1 << 20, STEPS = 2000 };
    ElfW(Addr) middle = library->base & ~(ElfW(Addr))(STEP - 1);
    for (int i = 1; i < 2 * STEPS; i++) {
        ElfW(Addr) address = i % 2 ? middle - (ElfW(Addr))(i / 2 + 1) * STEP : middle + (ElfW(Addr))(i / 2) * STEP;
        if (!is_in_reach(library, layout, address))
            continue;
        void *page_address = mmap((void *)address, page, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
        if (page_address == (void *)address)
            return page_address;
        if (page_address != MAP_FAILED) /* an older kernel may have mapped the page at another address */
            munmap(page_address, page);
    }
    return NULL;
}

/* Sets the protection of the pages with calls. False if one could not be changed. */
static bool protect(const struct loaded_object *library, const struct mpich_layout *layout, size_t page,
                    int protection) {
    bool success = true;
    for (int i = 0; i < layout->call_count; i++) {
        ElfW(Addr) call_address = library->base + layout->calls[i].address;
        ElfW(Addr) begin = call_address & ~(ElfW(Addr))(page - 1),
                   end = (call_address + CALL_BYTES + page - 1) & ~(ElfW(Addr))(page - 1);
        success = mprotect((void *)begin, end - begin, protection) == 0 && success;
    }
    return success;
}

bool mpich_redirect(const struct loaded_object *library, const struct mpich_layout *layout,
                    void *const replacements[MPICH_HELPER_COUNT], char *reason, size_t capacity) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    unsigned char *thunks = map_near(library, layout, page);
    if (!thunks)
        return refuse(reason, capacity, "no memory near the library");
    for (int h = 0; h < MPICH_HELPER_COUNT; h++) {
        memcpy(thunks + (size_t)h * THUNK_BYTES, jump, sizeof jump);
        memcpy(thunks + (size_t)h * THUNK_BYTES + JUMP_BYTES, &replacements[h], sizeof replacements[h]);
    }
    if (mprotect(thunks, page, PROT_READ | PROT_EXEC) != 0 ||
        !protect(library, layout, page, PROT_READ | PROT_WRITE | PROT_EXEC)) {
        refuse(reason, capacity, "the library's code cannot be changed");
        protect(library, layout, page, PROT_READ | PROT_EXEC);
        munmap(thunks, page);
        return false;
    }
    for (int i = 0; i < layout->call_count; i++) {
        const struct mpich_call *call = &layout->calls[i];
        unsigned char *call_address = (unsigned char *)library->base + call->address;
        int32_t distance = (int32_t)(thunks + (size_t)call->helper * THUNK_BYTES - (call_address + CALL_BYTES));
        if (replacements[call->helper])
            memcpy(call_address + 1, &distance, sizeof distance);
    }
    protect(library, layout, page, PROT_READ | PROT_EXEC);
    return true;
}
