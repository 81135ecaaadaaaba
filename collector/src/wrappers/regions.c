/* Records user-defined regions (hopscope/region.h).
 *
 * Each thread has a stack of its open regions. The end of a region is recorded if and only if its beginning was
 * recorded, even if recording was paused or resumed in between. */
#define HOPSCOPE_INSIDE_COLLECTOR
#include "hopscope/region.h"

#include <errno.h>
#include <string.h>

#include "log/log.h"
#include "wrappers/call.h"

enum { MAX_DEPTH = 64, NAME_SLOTS = 64 };

struct open_region {
    uint32_t hash; /* hash of the region's name */
    uint32_t id;   /* id of its definition; 0: its beginning was not recorded */
};

/* A name that this thread used recently. If the program passes it again, finding its id takes only one comparison. */
struct known_name {
    const char *text; /* NULL: an empty slot */
    uint32_t id;
};

static _Thread_local struct {
    int depth; /* number of open regions; regions beyond MAX_DEPTH are counted but not recorded */
    struct open_region open[MAX_DEPTH];
    struct known_name names[NAME_SLOTS];
} regions __attribute__((tls_model("initial-exec")));

static uint32_t hash_of(const char *name) {
    uint32_t hash = 0x811C9DC5u; /* FNV-1a */
    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * 0x01000193u;
    return hash;
}

static uint32_t id_of(const char *name, uint32_t hash) {
    struct known_name *name_slot = &regions.names[hash % NAME_SLOTS];
    if (__builtin_expect(!name_slot->text || strcmp(name_slot->text, name) != 0, 0)) {
        int saved_errno = errno;
        name_slot->id = record_define_region(name, &name_slot->text);
        errno = saved_errno;
    }
    return name_slot->id;
}

/* True if a region can begin here. It cannot begin inside an MPI call, whose records must stay together. */
static bool can_record(void) {
    return __atomic_load_n(&call_serving, __ATOMIC_ACQUIRE) &&
           (!call_thread.outermost || call_abandoned((uintptr_t)__builtin_frame_address(0)));
}

/* The region's name in the trace. Replaces an empty name, because readers of a trace need a name for every region. */
static const char *readable_name(const char *name) {
    return name && *name ? name : "(unnamed)";
}

WRAPPER void hopscope_region_begin(const char *name) {
    int depth = regions.depth++;
    if (depth >= MAX_DEPTH)
        return;
    name = readable_name(name);
    struct open_region *region = &regions.open[depth];
    *region = (struct open_region){.hash = hash_of(name)};
    if (!can_record() || !record_begin())
        return;
    region->id = id_of(name, region->hash);
    if (region->id)
        record_append(clock_now(), SPOOL_REGION_BEGIN, 0, 0, site_of_caller(CALLER), region->id, 0);
}

static void report_once(const char *name) {
    static bool is_reported;
    if (!__atomic_exchange_n(&is_reported, true, __ATOMIC_RELAXED))
        log_line("hopscope_region_end(\"%s\"): no such region is open in this thread; this call and others like it are "
                 "ignored",
                 name);
}

/* The depth of the stack after the region with this name has ended. */
static int depth_after(const char *name) {
    if (!name || regions.depth > MAX_DEPTH)
        return regions.depth - 1;
    uint32_t hash = hash_of(readable_name(name));
    int depth = regions.depth;
    while (depth > 0 && regions.open[depth - 1].hash != hash)
        depth--;
    return depth - 1;
}

WRAPPER void hopscope_region_end(const char *name) {
    int depth = depth_after(name);
    if (depth < 0) {
        if (name)
            report_once(name);
        return;
    }
    bool is_recording = can_record();
    if (is_recording)
        record_begin();
    uint64_t end_ticks = is_recording ? clock_now() : 0;
    for (; regions.depth > depth; regions.depth--) {
        const struct open_region *region = regions.depth <= MAX_DEPTH ? &regions.open[regions.depth - 1] : NULL;
        if (is_recording && region && region->id)
            record_append_past_hold(end_ticks, SPOOL_REGION_END, 0, 0, region->id, 0);
    }
}
