/* Where this thread's next record goes. */
#ifndef HOPSCOPE_CURSOR_H
#define HOPSCOPE_CURSOR_H

#include <stdbool.h>
#include <stdint.h>

#include "hopscope/spool.h"

struct record_thread; /* a thread's spool: record.c */

struct record_cursor {
    struct spool_record *next, *end; /* equal: the chunk is full, or there is none */
    struct spool_record *entered;    /* the ENTER of the last call, unless a chunk was begun behind it */
    uint64_t floor;                  /* the end of the last overhead: later records are not stamped before it */
    struct record_thread *thread;    /* NULL before the thread's first record */
    uint32_t changes;                /* of chunks: a place in the front is another record's after each */
    /* hold.h */
    uint32_t phase;                            /* the process's, as this thread has last seen it */
    bool held;                                 /* nothing is recorded for now; next and end are NULL */
    struct spool_record *held_next, *held_end; /* where it will go on */
};

/* A preload is there from the start of the process, so the cheapest access to thread-local storage is available. */
extern _Thread_local struct record_cursor record_cursor __attribute__((tls_model("initial-exec")));

/* The end of a chunk, a thread's first record, or recording is off: appends the record if there is room to be made. */
void record_append_slowly(uint64_t ticks, enum spool_kind kind, uint16_t region, uint32_t comm, uint64_t a, uint64_t b,
                          uint64_t c);

#endif
