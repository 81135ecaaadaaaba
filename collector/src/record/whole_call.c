#include "record/whole_call.h"

/* Merges the enter and the leave of a call that contains no other record. */
static bool end_empty(struct spool_record *enter, uint64_t duration) {
    switch (enter->kind) {
    case SPOOL_ENTER:
    case SPOOL_ENTER_BARE:
    case SPOOL_ENTER_MESSAGE:
        whole_call_end(enter, duration, SPOOL_CALL);
        return true;
    case SPOOL_ENTER_COLLECTIVE:
        whole_call_end(enter, duration, SPOOL_CALL_COLLECTIVE);
        return true;
    default:
        return false;
    }
}

/* Removes the record of the message. From then until the kind of the ENTER changes, a reader sees an open, empty call.
 */
static void take_back_message(void) {
    record_take_back();
    __atomic_thread_fence(__ATOMIC_RELEASE);
}

/* Loads all 64 bits of a field at once. See whole_call_add. */
static uint64_t load_field(const uint64_t *field) {
    return __atomic_load_n(field, __ATOMIC_RELAXED);
}

static bool end_around(struct spool_record *enter, const struct spool_record *message, uint64_t duration,
                       unsigned kind) {
    uint32_t comm = message->comm;
    uint64_t a = load_field(&message->a), b = load_field(&message->b), c = load_field(&message->c);
    if (!whole_call_fits(b | c))
        return false;
    take_back_message();
    enter->comm = comm;
    enter->b = a;
    enter->c = b | c << 32;
    whole_call_end(enter, duration, kind);
    return true;
}

/* The SPOOL_ASKED_ANY_* flags of a request (peer << 32 | tag). UINT64_MAX if the message's peer and tag, in `a`, do not
 * match the request. */
static uint64_t wildcards_of(uint64_t request, uint64_t a) {
    uint32_t peer = (uint32_t)(request >> 32), tag = (uint32_t)request;
    if ((peer != SPOOL_ANY && peer != a >> 32) || (tag != SPOOL_ANY && tag != (uint32_t)a))
        return UINT64_MAX;
    return (peer == SPOOL_ANY ? SPOOL_ASKED_ANY_PEER : 0) | (tag == SPOOL_ANY ? SPOOL_ASKED_ANY_TAG : 0);
}

/* Merges a blocking call with the only message in it. */
static bool end_as_asked(struct spool_record *enter, const struct spool_record *message, uint64_t duration,
                         unsigned kind) {
    uint64_t request = load_field(&enter->b), a = load_field(&message->a), b = load_field(&message->b);
    uint64_t wildcards = request == a ? 0 : wildcards_of(request, a);
    if (wildcards == UINT64_MAX || message->comm != enter->comm || load_field(&message->c) || b >= SPOOL_ASKED_ANY_TAG)
        return false;
    take_back_message();
    enter->b = a;
    enter->c = b | wildcards;
    whole_call_end(enter, duration, kind | SPOOL_AS_ASKED);
    return true;
}

/* True if the kind is that of a message, or of the start or end of a request. */
static bool is_message(uint16_t kind) {
    return (kind >= SPOOL_SEND && kind <= SPOOL_REQUEST_CANCELLED) || kind == SPOOL_TRANSFER ||
           kind == SPOOL_TRANSFER_COMPLETE;
}

/* Merges a call whose last record is a message, or the start or end of a request. */
static bool end_with_message(struct spool_record *enter, uint64_t leave, uint64_t duration) {
    const struct spool_record *last = enter + 1;
    if (!is_message(last->kind) || (last->ticks != leave && last->ticks != enter->ticks))
        return false;
    unsigned kind = last->kind | (last->ticks == leave ? SPOOL_AT_LEAVE : SPOOL_AT_ENTER);
    if (enter->kind == SPOOL_ENTER_BARE)
        return end_around(enter, last, duration, kind);
    return enter->kind == SPOOL_ENTER_MESSAGE && end_as_asked(enter, last, duration, kind);
}

/* Merges a nonblocking send whose request completed at once. */
static bool end_with_send(struct spool_record *enter, uint64_t leave, uint64_t duration) {
    const struct spool_record *send = enter + 1, *completion = enter + 2;
    if (enter->kind != SPOOL_ENTER_BARE || send->kind != SPOOL_ISEND || completion->kind != SPOOL_ISEND_COMPLETE ||
        send->ticks != enter->ticks || completion->ticks != leave || send->c != completion->c ||
        !whole_call_fits(send->b | send->c))
        return false;
    record_take_back();
    return end_around(enter, send, duration, SPOOL_ISEND | SPOOL_AT_ENTER | SPOOL_AT_LEAVE);
}

static bool end_in_place(uint64_t leave) {
    struct spool_record *enter = record_cursor.enter_record;
    if (!enter || !record_cursor.next)
        return false;
    uint64_t duration = leave - enter->ticks;
    if (!whole_call_fits(duration))
        return false;
    if (whole_call_has(1))
        return end_empty(enter, duration);
    if (whole_call_has(2))
        return end_with_message(enter, leave, duration);
    return whole_call_has(3) && end_with_send(enter, leave, duration);
}

void whole_call_leave(uint64_t leave, uint16_t region) {
    if (!end_in_place(leave))
        record_append(leave, SPOOL_LEAVE, region, 0, 0, 0, 0);
}
