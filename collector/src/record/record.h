/* Records events for the wrappers and the engine. To record is an inline append to this thread's spool.
 *
 * System calls, locks and allocation happen only at the end of a chunk. While recording is off (never started, stopped,
 * or out of room) an append does nothing. */
#ifndef HOPSCOPE_RECORD_H
#define HOPSCOPE_RECORD_H

#include <pthread.h>
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
    /* The kind is stored last: a record is valid once it has a kind. */
    __atomic_store_n(&r->kind, (uint16_t)kind, __ATOMIC_RELEASE);
}

static inline void record_append(uint64_t ticks, enum spool_kind kind, uint16_t region, uint32_t comm, uint64_t a,
                                 uint64_t b, uint64_t c) {
    struct record_cursor *cursor = &record_cursor;
    if (__builtin_expect(cursor->next == cursor->end, 0)) {
        record_append_slowly(ticks, kind, region, comm, a, b, c);
        return;
    }
    /* After a chunk change, a record may come with an earlier timestamp, which it shares with a record before the
     * change. */
    if (__builtin_expect(ticks < cursor->floor, 0))
        ticks = cursor->floor;
    record_fill(cursor->next++, ticks, kind, region, comm, a, b, c);
}

/* This thread's last record. NULL if the thread has no chunk or is paused. */
static inline struct spool_record *record_last(void) {
    return record_cursor.next ? record_cursor.next - 1 : NULL;
}

/* Removes this thread's last record. */
static inline void record_take_back(void) {
    __atomic_store_n(&(--record_cursor.next)->kind, (uint16_t)SPOOL_NONE, __ATOMIC_RELEASE);
}

/* Returns a number for a request or hop that is unique in this process. */
uint64_t record_request_id(void);
/* Return the id of this process's definition of a text; 0 if recording is off. The first call for a text appends a line
 * to the .defs file, which takes a system call. So keep the id; do not call these for every event. */
uint32_t record_define_tree(const char *name);
uint32_t record_define_reason(const char *text);
uint32_t record_define_algorithm(const char *name);
/* Returns the id of a text that is needed repeatedly. *id must be 0 at first. The first call gets the id from `definer`
 * and stores it in *id; later calls return it. */
uint32_t record_define_once(uint32_t *id, uint32_t (*definer)(const char *), const char *text);
/* Defines a user region. *permanent_name becomes a copy of its name that is never freed. If memory runs out, returns 0
 * and sets *permanent_name to NULL. */
uint32_t record_define_region(const char *name, const char **permanent_name);

/* Begins recording into directory/spool/ for this rank, with the calling thread as thread 0. If that fails, prints one
 * line on stderr and returns false: recording stays off, and the application and the engine run on. */
bool record_start(const char *directory, int world_rank, size_t chunk_bytes);
/* Stops recording in all threads. The spools stay readable up to this point and contain the reason. */
void record_stop(const char *reason);
/* Sets a function that each recording thread calls before it ends. NULL: none. */
void record_before_thread_ends(void (*hook)(void));
/* A wait for another thread to end. It is recorded, when it is over, only if the other thread has recorded. Otherwise
 * the other thread's time counts as the rank's computing. */
struct record_join {
    struct record_join *next;
    pthread_t thread;
    uint64_t begin; /* ticks */
    bool was_recorded;
};
/* Begin and end such a wait. Call them in a thread that records. The struct must stay at its address in between. */
void record_join_begin(struct record_join *join, pthread_t thread);
void record_join_end(struct record_join *join);
/* Ends recording regularly: marks all spools as closed, and writes `ending` ("finalize", ...) into the .defs file. */
void record_finish(const char *ending);
/* Read it with record_is_on(). Only record.c sets it. */
extern bool record_running;
/* True if definitions can be written, even while some threads are paused: see hold.h. */
static inline bool record_is_on(void) {
    return __atomic_load_n(&record_running, __ATOMIC_ACQUIRE);
}
/* True if recording is on and this thread is not paused. */
static inline bool record_here(void) {
    return record_is_on() && !record_cursor.is_paused;
}

/* Measures the cost of one record with its timestamp, in nanoseconds, on a scratch buffer. */
double record_measure_cost_ns(void);

#endif
