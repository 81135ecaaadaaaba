/* Pauses recording at MPI_Pcontrol(0) and resumes it at MPI_Pcontrol(1).
 *
 * The process has one phase, a number that grows by one at every pause and every resumption, and is odd while recording
 * is paused. A thread takes over the phase at the beginning of its next call, so it never records half a call. Its
 * spool shows when it paused and resumed; the time between the two is a gap. Gaps are numbered per process, from 1.
 *
 * The assembly matches messages by counting: the n-th send with a communicator, peer and tag belongs to the n-th
 * receive. So each thread counts the messages that it does not record in a gap, by communicator, peer and tag, and
 * writes the counts to its spool at the gap's end. */
#ifndef HOPSCOPE_HOLD_H
#define HOPSCOPE_HOLD_H

#include <stdbool.h>
#include <stdint.h>

#include "record/record.h"

extern uint32_t record_phase;

/* Pauses (true) or resumes (false) the recording of the whole process. Has no effect if it is already in that state. */
void record_hold(bool hold);

/* Takes over the process's phase in this thread. Keeps errno. */
void record_follow(void);

/* Returns true if this thread records the call that begins now. Call it once at the beginning of each call: the result
 * stays valid until the thread's next call. */
static inline bool record_begin(void) {
    if (__builtin_expect(record_cursor.phase != __atomic_load_n(&record_phase, __ATOMIC_RELAXED), 0))
        record_follow();
    return record_here();
}

/* The number of the gap in which this thread is; 0 if it is in none. */
static inline uint32_t record_gap(void) {
    return record_cursor.is_paused ? (record_cursor.phase + 1) / 2 : 0;
}

/* Count a message that is not recorded because of a gap. A send must have begun in the current gap; a receive must have
 * begun and ended in it. peer: a rank of the communicator. */
void record_skip_send(uint32_t comm, uint32_t peer, uint32_t tag);
void record_skip_receive(uint32_t comm, uint32_t peer, uint32_t tag);

/* Appends a record even in a gap, for the end of an operation that began before the gap. */
void record_append_past_hold(uint64_t ticks, enum spool_kind kind, uint32_t comm, uint64_t a, uint64_t b, uint64_t c);

#endif
