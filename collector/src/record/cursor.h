/* Where this thread's next record goes. */
#ifndef HOPSCOPE_CURSOR_H
#define HOPSCOPE_CURSOR_H

#include <stdbool.h>
#include <stdint.h>

#include "hopscope/spool.h"

struct record_thread; /* a thread's spool: record.c */

struct record_cursor {
    struct spool_record *next, *end; /* equal if the chunk is full or absent */
    struct spool_record *entered;    /* the ENTER of the last call, unless a new chunk began after it */
    uint64_t floor;                  /* end of the last overhead: later records get no earlier timestamp */
    struct record_thread *thread;    /* NULL before the thread's first record */
    uint32_t changes;                /* number of chunk changes: each reuses the front's places for other records */
    /* hold.h */
    uint32_t phase;                            /* the process's, as this thread last saw it */
    bool held;                                 /* recording is paused; next and end are NULL */
    struct spool_record *held_next, *held_end; /* where recording resumes */
};

/* The collector is preloaded, so the cheapest access to thread-local storage is available. */
extern _Thread_local struct record_cursor record_cursor __attribute__((tls_model("initial-exec")));

/* Handles the end of a chunk, a thread's first record, and recording turned off; appends the record if it can make
 * room. */
void record_append_slowly(uint64_t ticks, enum spool_kind kind, uint16_t region, uint32_t comm, uint64_t a, uint64_t b,
                          uint64_t c);

#endif
