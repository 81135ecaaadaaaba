/* Expands one stored record of a spool, which may be a whole call. */
#include "assembly/stored.h"

static uint64_t lower(uint64_t field) {
    return field & UINT32_MAX;
}

static uint64_t upper(uint64_t field) {
    return field >> 32;
}

static bool has_inner_record(uint16_t kind) {
    return kind & (SPOOL_AT_ENTER | SPOOL_AT_LEAVE);
}

static struct spool_record bare(const struct spool_record *stored) {
    return (struct spool_record){
        .ticks = stored->ticks, .kind = SPOOL_ENTER, .region = stored->region, .a = lower(stored->a)};
}

/* Expands a collective's ENTER. The lower halves of the stored fields b and c belong to the ENTER, the upper halves to
 * the LEAVE. */
static struct spool_record collective(const struct spool_record *stored) {
    struct spool_record enter = bare(stored);
    enter.comm = stored->comm;
    enter.b = lower(stored->b);
    enter.c = (uint64_t)(int64_t)(int32_t)lower(stored->c);
    return enter;
}

/* Expands the ENTER of a call with one message. Its peer and tag are the message's, unless the program asked for
 * any peer or any tag. */
static struct spool_record message_enter(const struct spool_record *stored) {
    struct spool_record enter = bare(stored);
    enter.comm = stored->comm;
    enter.b = stored->b;
    if (stored->c & SPOOL_ASKED_ANY_PEER)
        enter.b |= (uint64_t)SPOOL_ANY << 32;
    if (stored->c & SPOOL_ASKED_ANY_TAG)
        enter.b |= SPOOL_ANY;
    return enter;
}

struct spool_record first_of(const struct spool_record *stored) {
    struct spool_record enter = bare(stored);
    if (has_inner_record(stored->kind))
        return stored->kind & SPOOL_AS_ASKED ? message_enter(stored) : enter;
    switch (stored->kind) {
    case SPOOL_ENTER_COLLECTIVE:
    case SPOOL_CALL_COLLECTIVE:
        return collective(stored);
    case SPOOL_ENTER:
    case SPOOL_CALL:
        enter.c = stored->c;
        /* fallthrough */
    case SPOOL_ENTER_MESSAGE:
        enter.comm = stored->comm;
        enter.b = stored->b;
        /* fallthrough */
    case SPOOL_ENTER_BARE:
        return enter;
    default:
        return *stored;
    }
}

static struct spool_record inner_record(const struct spool_record *stored, uint64_t leave) {
    struct spool_record record = {.ticks = stored->kind & SPOOL_AT_ENTER ? stored->ticks : leave,
                                  .kind = stored->kind & SPOOL_KIND_INSIDE,
                                  .comm = stored->comm,
                                  .a = stored->b};
    if (stored->kind & SPOOL_AS_ASKED) {
        record.b = stored->c & (SPOOL_ASKED_ANY_TAG - 1);
    } else {
        record.b = lower(stored->c);
        record.c = upper(stored->c);
    }
    return record;
}

size_t count_of(uint16_t kind) {
    bool sent_at_once = (kind & SPOOL_AT_ENTER) && (kind & SPOOL_AT_LEAVE);
    return sent_at_once ? 4 : has_inner_record(kind) ? 3 : kind == SPOOL_CALL || kind == SPOOL_CALL_COLLECTIVE ? 2 : 1;
}

size_t records_of(const struct spool_record *stored, struct spool_record records[MAX_STORED_RECORDS]) {
    size_t count = count_of(stored->kind);
    records[0] = first_of(stored);
    if (count == 1)
        return 1;
    uint64_t leave = stored->ticks + upper(stored->a);
    if (count >= 3)
        records[1] = inner_record(stored, leave);
    if (count == 4)
        records[2] = (struct spool_record){.ticks = leave, .kind = SPOOL_ISEND_COMPLETE, .c = records[1].c};
    bool counts = stored->kind == SPOOL_CALL_COLLECTIVE;
    records[count - 1] = (struct spool_record){.ticks = leave,
                                               .kind = SPOOL_LEAVE,
                                               .region = stored->region,
                                               .a = counts ? upper(stored->b) : 0,
                                               .b = counts ? upper(stored->c) : 0};
    return count;
}

uint64_t last_ticks_of(const struct spool_record *stored) {
    return stored->ticks + (count_of(stored->kind) > 1 ? upper(stored->a) : 0);
}
