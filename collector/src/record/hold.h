/* Recording that is stopped for a while, by MPI_Pcontrol(0), and goes on, by MPI_Pcontrol(1).
 *
 * The process has one phase: a number that goes up by one with every change, odd while recording is stopped. A thread
 * follows at the beginning of its next call: what it has begun to record it records to the end, and it never records
 * half a call. Where it stopped and went on is in its spool; the stretch between is a gap. Gaps are numbered in the
 * process, from 1.
 *
 * Messages match by counting: the n-th send from here to there belongs to the n-th receive. So those of a gap are
 * counted, for each communicator, peer and tag, and the counts stand in the spool at the gap's end. Nothing is counted
 * while recording is on.
 */
#ifndef HOPSCOPE_HOLD_H
#define HOPSCOPE_HOLD_H

#include <stdbool.h>
#include <stdint.h>

#include "record/record.h"

extern uint32_t record_phase;

/* For the whole process; no effect if it is so already. */
void record_hold(bool hold);

/* This thread takes over the process's phase. Keeps errno. */
void record_follow(void);

/* At the beginning of a call: will this thread record it? Holds until its next call. */
static inline bool record_begin(void) {
    if (__builtin_expect(record_cursor.phase != __atomic_load_n(&record_phase, __ATOMIC_RELAXED), 0))
        record_follow();
    return record_here();
}

/* The number of the gap that this thread is in; 0: in none. */
static inline uint32_t record_gap(void) {
    return record_cursor.held ? (record_cursor.phase + 1) / 2 : 0;
}

/* In a gap: a message that began and, if it was received, ended in it. peer is a rank of the communicator. */
void record_skip_send(uint32_t comm, uint32_t peer, uint32_t tag);
void record_skip_receive(uint32_t comm, uint32_t peer, uint32_t tag);

/* Also in a gap: what has to be said of something that was begun before it. */
void record_append_past_hold(uint64_t ticks, enum spool_kind kind, uint32_t comm, uint64_t a, uint64_t b, uint64_t c);

#endif
