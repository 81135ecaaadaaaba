#include "native/mpich/redirect.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* jmp *(%rip), and behind it the address. */
enum { THUNK_BYTES = 16, JUMP_BYTES = 6, CALL_BYTES = 5 };
static const unsigned char jump[JUMP_BYTES] = {0xff, 0x25};

static bool refuse(char *reason, size_t capacity, const char *what) {
    snprintf(reason, capacity, "%s: %s", what, strerror(errno));
    return false;
}

/* From the end of any call the distance fits into 32 bits. */
static bool is_near(const struct loaded_object *library, const struct mpich_layout *layout, ElfW(Addr) thunks) {
    for (int i = 0; i < layout->call_count; i++) {
        int64_t distance = (int64_t)(thunks - (library->base + layout->calls[i].at));
        if (distance > INT32_MAX - 0x10000 || distance < INT32_MIN + 0x10000)
            return false;
    }
    return true;
}

/* A page near the library. */
static unsigned char *map_near(const struct loaded_object *library, const struct mpich_layout *layout, size_t page) {
    enum { STEP = 1 << 20, STEPS = 2000 };
    ElfW(Addr) middle = library->base & ~(ElfW(Addr))(STEP - 1);
    for (int i = 1; i < 2 * STEPS; i++) {
        ElfW(Addr) wanted = i % 2 ? middle - (ElfW(Addr))(i / 2 + 1) * STEP : middle + (ElfW(Addr))(i / 2) * STEP;
        if (!is_near(library, layout, wanted))
            continue;
        void *at = mmap((void *)wanted, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE,
                        -1, 0);
        if (at == (void *)wanted)
            return at;
        if (at != MAP_FAILED) /* a kernel that takes the address as a hint */
            munmap(at, page);
    }
    return NULL;
}

/* The pages of the calls. True if all of them could be changed. */
static bool protect(const struct loaded_object *library, const struct mpich_layout *layout, size_t page, int how) {
    bool all = true;
    for (int i = 0; i < layout->call_count; i++) {
        ElfW(Addr) at = library->base + layout->calls[i].at;
        ElfW(Addr) begin = at & ~(ElfW(Addr))(page - 1), end = (at + CALL_BYTES + page - 1) & ~(ElfW(Addr))(page - 1);
        all = mprotect((void *)begin, end - begin, how) == 0 && all;
    }
    return all;
}

bool mpich_redirect(const struct loaded_object *library, const struct mpich_layout *layout,
                    void *const ours[MPICH_HELPER_COUNT], char *reason, size_t capacity) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    unsigned char *thunks = map_near(library, layout, page);
    if (!thunks)
        return refuse(reason, capacity, "no memory near the library");
    for (int h = 0; h < MPICH_HELPER_COUNT; h++) {
        memcpy(thunks + (size_t)h * THUNK_BYTES, jump, sizeof jump);
        memcpy(thunks + (size_t)h * THUNK_BYTES + JUMP_BYTES, &ours[h], sizeof ours[h]);
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
        unsigned char *at = (unsigned char *)library->base + call->at;
        int32_t distance = (int32_t)(thunks + (size_t)call->helper * THUNK_BYTES - (at + CALL_BYTES));
        if (ours[call->helper])
            memcpy(at + 1, &distance, sizeof distance);
    }
    protect(library, layout, page, PROT_READ | PROT_EXEC);
    return true;
}
