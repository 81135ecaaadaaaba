/* What the wrappers and the engine record, and when: one inline append to this thread's spool.
 *
 * No system call, lock or allocation but at the end of a chunk. Where recording is off (never started, stopped,
 * or no room) an append does nothing.
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
    /* Last: a record is valid when its kind is there. */
    __atomic_store_n(&r->kind, (uint16_t)kind, __ATOMIC_RELEASE);
}

static inline void record_append(uint64_t ticks, enum spool_kind kind, uint16_t region, uint32_t comm, uint64_t a,
                                 uint64_t b, uint64_t c) {
    struct record_cursor *cursor = &record_cursor;
    if (__builtin_expect(cursor->next == cursor->end, 0)) {
        record_append_slowly(ticks, kind, region, comm, a, b, c);
        return;
    }
    /* Records that share a stamp may lie on both sides of a chunk change. */
    if (__builtin_expect(ticks < cursor->floor, 0))
        ticks = cursor->floor;
    record_fill(cursor->next++, ticks, kind, region, comm, a, b, c);
}

/* This thread's last record, while it lies in the chunk that is being written; NULL if there is none. */
static inline struct spool_record *record_last(void) {
    return record_cursor.next ? record_cursor.next - 1 : NULL;
}

/* Takes the record of record_last() away again. */
static inline void record_take_back(void) {
    __atomic_store_n(&(--record_cursor.next)->kind, (uint16_t)SPOOL_NONE, __ATOMIC_RELEASE);
}

/* A number for a request or hop, unique in this process. */
uint64_t record_request_id(void);
/* Ids of definitions of this process; each first use appends a line to the .defs file (a system call: call it
 * when a communicator or tree is first used, never per event). 0 if recording is off. */
uint32_t record_define_tree(const char *name);
uint32_t record_define_reason(const char *text);
/* A region of the user's; *kept is a copy of its name that stays. NULL and 0 if there is no memory for it. */
uint32_t record_define_region(const char *name, const char **kept);

/* Begins recording into directory/spool/, for this rank, with the calling thread as thread 0. On failure one line on
 * stderr, recording stays off and false is returned; the application and the engine run on. */
bool record_start(const char *directory, int world_rank, size_t chunk_bytes);
/* No more records from any thread; the spools stay readable up to here and say why. */
void record_stop(const char *reason);
/* The regular end: all spools are marked closed. `how` goes into the definitions. */
void record_finish(const char *how);
/* Written by record.c only. */
extern bool record_running;
/* Definitions can be written, if not by every thread records: see hold.h. */
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
