/* A call in which nothing else was recorded, or one message or request, is one record: its ENTER becomes the whole
 * call.
 *
 * In place, if the ENTER is still this thread's last record, or the last but the message's. The kind is stored last,
 * and what is stored before it is no part of the ENTER: a process that dies in between leaves the call open.
 */
#ifndef HOPSCOPE_WHOLE_CALL_H
#define HOPSCOPE_WHOLE_CALL_H

#include <string.h>

#include "record/record.h"

/* For what goes into half a field: ticks, bytes. */
static inline bool whole_call_fits(uint64_t value) {
    return value <= UINT32_MAX;
}

/* The next record is the enter of a call. */
static inline void whole_call_begin(void) {
    record_cursor.entered = record_cursor.next;
}

/* So many records are the last ones, the first of them the call's enter. */
static inline bool whole_call_has(size_t records) {
    uintptr_t next = (uintptr_t)record_cursor.next, entered = (uintptr_t)record_cursor.entered;
    return next - entered == records * sizeof(struct spool_record);
}

/* Of a field whose upper half is not in use yet. Nothing is loaded: a field that was stored a moment ago is not there
 * to be loaded in another width. */
static inline void whole_call_add(uint64_t *field, uint64_t upper) {
    uint32_t half = (uint32_t)upper;
    memcpy((char *)field + (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? sizeof half : 0), &half, sizeof half);
}

static inline void whole_call_end(struct spool_record *record, uint64_t duration, unsigned kind) {
    whole_call_add(&record->a, duration);
    __atomic_store_n(&record->kind, (uint16_t)kind, __ATOMIC_RELEASE);
}

/* The leave of a blocking collective. False: it needs a record of its own. */
static inline bool whole_call_collective(uint64_t leave, uint64_t seq, uint64_t sent, uint64_t received) {
    struct spool_record *enter = record_cursor.entered;
    if (__builtin_expect(!whole_call_has(1), 0))
        return false;
    uint64_t duration = leave - enter->ticks;
    if (__builtin_expect(!whole_call_fits(duration | seq | sent | received), 0))
        return false;
    whole_call_add(&enter->b, sent);
    whole_call_add(&enter->c, received);
    whole_call_end(enter, duration, SPOOL_CALL_COLLECTIVE);
    return true;
}

/* The leave of any other call, and of a collective that has no bytes: it ends its ENTER, or is appended. */
void whole_call_leave(uint64_t leave, uint16_t region);

#endif
