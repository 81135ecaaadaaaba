/* Turns the ENTER of a call into a single record for the whole call, if the call contains no other record, or just one
 * message or request.
 *
 * This happens in place, if the ENTER is this thread's last record, or the last one before that of the message. The
 * kind is stored last. Readers ignore the other new fields in an ENTER, so if the process dies in between, they see an
 * open call. */
#ifndef HOPSCOPE_WHOLE_CALL_H
#define HOPSCOPE_WHOLE_CALL_H

#include <string.h>

#include "record/record.h"

/* True if a value (ticks, bytes) fits the 32 bits of half a field. */
static inline bool whole_call_fits(uint64_t value) {
    return value <= UINT32_MAX;
}

/* Call it before the enter of a call is recorded. */
static inline void whole_call_begin(void) {
    record_cursor.enter_record = record_cursor.next;
}

/* True if the call's ENTER is the first of this thread's last `records` records. */
static inline bool whole_call_has(size_t records) {
    uintptr_t next = (uintptr_t)record_cursor.next, enter = (uintptr_t)record_cursor.enter_record;
    return next - enter == records * sizeof(struct spool_record);
}

/* Writes the unused upper half of a field. Does not load the field, because that would be slow: a processor cannot
 * forward the recent store of another width to the load. */
static inline void whole_call_add(uint64_t *field, uint64_t upper) {
    uint32_t half = (uint32_t)upper;
    memcpy((char *)field + (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? sizeof half : 0), &half, sizeof half);
}

static inline void whole_call_end(struct spool_record *record, uint64_t duration, unsigned kind) {
    whole_call_add(&record->a, duration);
    __atomic_store_n(&record->kind, (uint16_t)kind, __ATOMIC_RELEASE);
}

/* Merges the leave of a blocking collective into its ENTER. False if the leave needs a record of its own. */
static inline bool whole_call_collective(uint64_t leave, uint64_t seq, uint64_t sent, uint64_t received) {
    struct spool_record *enter = record_cursor.enter_record;
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

/* Ends any other call, or a collective without bytes. Merges the leave into the ENTER or, if that is impossible,
 * appends a LEAVE. */
void whole_call_leave(uint64_t leave, uint16_t region);

#endif
