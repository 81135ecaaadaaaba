/* User regions: hopscope/region.h.
 *
 * Each thread has a stack of open regions. It notes whether the beginning of each was recorded, so that its end is
 * recorded exactly if its beginning was, even if recording was paused or resumed in between.
 */
#define HOPSCOPE_INSIDE_COLLECTOR
#include "hopscope/region.h"

#include <errno.h>
#include <string.h>

#include "log/log.h"
#include "wrappers/call.h"

enum { DEEPEST = 64, REMEMBERED = 64 };

struct open_region {
    uint32_t hash; /* of its name */
    uint32_t id;   /* its definition; 0: its beginning was not recorded */
};

/* Names that this thread used recently, so that a name costs one comparison. */
struct known_name {
    const char *text; /* NULL: an empty slot */
    uint32_t id;
};

static _Thread_local struct {
    int depth; /* regions beyond DEEPEST are only counted */
    struct open_region open[DEEPEST];
    struct known_name names[REMEMBERED];
} regions __attribute__((tls_model("initial-exec")));

static uint32_t hash_of(const char *name) {
    uint32_t hash = 0x811C9DC5u; /* FNV-1a */
    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * 0x01000193u;
    return hash;
}

static uint32_t id_of(const char *name, uint32_t hash) {
    struct known_name *known = &regions.names[hash % REMEMBERED];
    if (__builtin_expect(!known->text || strcmp(known->text, name) != 0, 0)) {
        int kept = errno;
        known->id = record_define_region(name, &known->text);
        errno = kept;
    }
    return known->id;
}

/* Inside an MPI call nothing is recorded, as everywhere; and a region must not split the call's records. */
static bool records(void) {
    return __atomic_load_n(&call_serving, __ATOMIC_ACQUIRE) &&
           (!call_thread.outermost || call_abandoned((uintptr_t)__builtin_frame_address(0)));
}

/* Readers of a trace need a name for every region. */
static const char *named(const char *name) {
    return name && *name ? name : "(unnamed)";
}

WRAPPER void hopscope_region_begin(const char *name) {
    int depth = regions.depth++;
    if (depth >= DEEPEST)
        return;
    name = named(name);
    struct open_region *region = &regions.open[depth];
    *region = (struct open_region){.hash = hash_of(name)};
    if (!records() || !record_begin())
        return;
    region->id = id_of(name, region->hash);
    if (region->id)
        record_append(clock_now(), SPOOL_REGION_BEGIN, 0, 0, site_of_caller(CALLER), region->id, 0);
}

static void tell_once(const char *name) {
    static bool told;
    if (!__atomic_exchange_n(&told, true, __ATOMIC_RELAXED))
        log_line("hopscope_region_end(\"%s\"): no such region is open in this thread; this call and others like it are "
                 "ignored",
                 name);
}

/* The depth after the region of this name has ended. */
static int depth_after(const char *name) {
    if (!name || regions.depth > DEEPEST)
        return regions.depth - 1;
    uint32_t hash = hash_of(named(name));
    int depth = regions.depth;
    while (depth > 0 && regions.open[depth - 1].hash != hash)
        depth--;
    return depth - 1;
}

WRAPPER void hopscope_region_end(const char *name) {
    int depth = depth_after(name);
    if (depth < 0) {
        if (name)
            tell_once(name);
        return;
    }
    bool recorded = records();
    if (recorded)
        record_begin();
    uint64_t now = recorded ? clock_now() : 0;
    for (; regions.depth > depth; regions.depth--) {
        const struct open_region *region = regions.depth <= DEEPEST ? &regions.open[regions.depth - 1] : NULL;
        if (recorded && region && region->id)
            record_append_past_hold(now, SPOOL_REGION_END, 0, 0, region->id, 0);
    }
}
