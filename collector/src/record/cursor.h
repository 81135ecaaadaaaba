/* The position of this thread's next record. */
#ifndef HOPSCOPE_CURSOR_H
#define HOPSCOPE_CURSOR_H

#include <stdbool.h>
#include <stdint.h>

#include "hopscope/spool.h"

struct record_thread; /* a thread's spool, see record.c */

struct record_cursor {
    struct spool_record *next, *end;   /* equal if the chunk is full or absent */
    struct spool_record *enter_record; /* the ENTER of the last call, unless a new chunk began after it */
    uint64_t floor;                    /* end of the last overhead; later records get no earlier timestamp */
    struct record_thread *thread;      /* NULL before the thread's first record */
    uint64_t begin;                    /* time at which the thread was created; 0: unknown */
    uint32_t changes;                  /* number of chunk changes; a change invalidates pointers to earlier records */
    /* For hold.h: */
    uint32_t phase;                                /* the process's phase at this thread's last record_begin */
    bool is_paused;                                /* while it is set, next and end are NULL */
    struct spool_record *paused_next, *paused_end; /* the values of next and end to restore after the pause */
};

/* initial-exec is the cheapest access to thread-local storage. It is allowed because the collector is preloaded. */
extern _Thread_local struct record_cursor record_cursor __attribute__((tls_model("initial-exec")));

/* Appends a record in the cases that record_append leaves to it: the chunk is full, the thread has no chunk yet, or
 * recording is off or paused. Drops the record if recording is off or paused, or if there is no room. */
void record_append_slowly(uint64_t ticks, enum spool_kind kind, uint16_t region, uint32_t comm, uint64_t a, uint64_t b,
                          uint64_t c);

#endif
