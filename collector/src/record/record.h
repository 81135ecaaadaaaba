/* What the wrappers and the engine record, and when: one inline append to this thread's spool.
 *
 * No system call, lock or allocation but at the end of a chunk. Where recording is off (never started, stopped,
 * or no room) an append does nothing.
 */
#ifndef HOPSCOPE_RECORD_H
#define HOPSCOPE_RECORD_H

#include <stdint.h>

#include "hopscope/spool.h"
#include "record/clock.h"  /* static inline uint64_t clock_now(void): ticks */
#include "record/cursor.h" /* the thread's cursor, and the slow path at the end of a chunk */

static inline void record_append(uint64_t ticks, enum spool_kind kind, uint16_t region, uint32_t comm, uint64_t a,
                                 uint64_t b, uint64_t c);

static inline void record_append(uint64_t ticks, enum spool_kind kind, uint16_t region, uint32_t comm, uint64_t a,
                                 uint64_t b, uint64_t c) {
    struct record_cursor *cursor = &record_cursor;
    if (__builtin_expect(cursor->next == cursor->end, 0) && !record_more_room(cursor))
        return;
    struct spool_record *r = cursor->next++;
    r->ticks = ticks;
    r->region = region;
    r->comm = comm;
    r->a = a;
    r->b = b;
    r->c = c;
    __atomic_store_n(&r->kind, (uint16_t)kind, __ATOMIC_RELEASE);
}

/* A number for a request or hop, unique in this process and thread. */
uint64_t record_request_id(void);
/* Ids of definitions of this process; each first use appends a line to the .defs file (a system call: call it
 * when a communicator or tree is first used, never per event). 0 if recording is off. */
uint32_t record_define_tree(const char *name);
uint32_t record_define_reason(const char *text);

#endif
