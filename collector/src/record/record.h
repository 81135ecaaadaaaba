/* What the wrappers and the engine record: one inline append to this thread's spool.
 *
 * System calls, locks and allocation happen only at the end of a chunk. While recording is off (never started, stopped,
 * or out of room) an append does nothing.
 */
#ifndef HOPSCOPE_RECORD_H
#define HOPSCOPE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hopscope/spool.h"
#include "record/clock.h"
#include "record/cursor.h"

static inline void record_fill(struct spool_record *r, uint64_t ticks, enum spool_kind kind, uint16_t region,
                               uint32_t comm, uint64_t a, uint64_t b, uint64_t c) {
    r->ticks = ticks;
    r->region = region;
    r->comm = comm;
    r->a = a;
    r->b = b;
    r->c = c;
    /* Stored last: a record is valid once its kind is set. */
    __atomic_store_n(&r->kind, (uint16_t)kind, __ATOMIC_RELEASE);
}

static inline void record_append(uint64_t ticks, enum spool_kind kind, uint16_t region, uint32_t comm, uint64_t a,
                                 uint64_t b, uint64_t c) {
    struct record_cursor *cursor = &record_cursor;
    if (__builtin_expect(cursor->next == cursor->end, 0)) {
        record_append_slowly(ticks, kind, region, comm, a, b, c);
        return;
    }
    /* Records that share a timestamp may be on both sides of a chunk change. */
    if (__builtin_expect(ticks < cursor->floor, 0))
        ticks = cursor->floor;
    record_fill(cursor->next++, ticks, kind, region, comm, a, b, c);
}

/* This thread's last record, if it is in the current chunk; else NULL. */
static inline struct spool_record *record_last(void) {
    return record_cursor.next ? record_cursor.next - 1 : NULL;
}

/* Removes the record of record_last(). */
static inline void record_take_back(void) {
    __atomic_store_n(&(--record_cursor.next)->kind, (uint16_t)SPOOL_NONE, __ATOMIC_RELEASE);
}

/* A number for a request or hop, unique in this process. */
uint64_t record_request_id(void);
/* Ids of definitions of this process. Each first use appends a line to the .defs file, which is a system call: call it
 * when a communicator or tree is first used, never per event. 0 if recording is off. */
uint32_t record_define_tree(const char *name);
uint32_t record_define_reason(const char *text);
uint32_t record_define_algorithm(const char *name);
/* One of these for what is asked for again and again: *id keeps what definer gave, and is 0 at first. */
uint32_t record_define_once(uint32_t *id, uint32_t (*definer)(const char *), const char *text);
/* A user region; *kept is a permanent copy of its name. NULL and 0 if memory runs out. */
uint32_t record_define_region(const char *name, const char **kept);

/* Begins recording into directory/spool/ for this rank, with the calling thread as thread 0. On failure it prints one
 * line on stderr and returns false; recording stays off, the application and the engine run on. */
bool record_start(const char *directory, int world_rank, size_t chunk_bytes);
/* Stops recording in all threads; the spools stay readable up to here and give the reason. */
void record_stop(const char *reason);
/* From now on, called in a recording thread that is about to end. NULL: nothing. */
void record_before_thread_ends(void (*call)(void));
/* The regular end: marks all spools closed. `how` goes into the definitions. */
void record_finish(const char *how);
/* Only record.c writes it. */
extern bool record_running;
/* Definitions can be written, even if some threads are paused: see hold.h. */
static inline bool record_is_on(void) {
    return __atomic_load_n(&record_running, __ATOMIC_ACQUIRE);
}
/* This thread's records are kept. */
static inline bool record_here(void) {
    return record_is_on() && !record_cursor.held;
}

/* The cost of one stamped record in nanoseconds, measured on a scratch buffer. */
double record_measure_cost_ns(void);

#endif
