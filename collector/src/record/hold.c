#include "record/hold.h"

#include <errno.h>
#include <stdlib.h>

uint32_t record_phase;

/* The numbers of messages of this thread in the current gap, with one communicator, peer and tag. They are in a hash
 * table with open addressing, whose size is a power of two. */
struct channel {
    uint32_t comm, peer, tag; /* comm 0: an empty slot */
    uint32_t sends, receives;
};

static _Thread_local struct {
    struct channel *channels;
    size_t capacity, used;
} skipped __attribute__((tls_model("initial-exec")));

void record_hold(bool hold) {
    uint32_t phase = __atomic_load_n(&record_phase, __ATOMIC_RELAXED);
    while ((phase & 1) != hold &&
           !__atomic_compare_exchange_n(&record_phase, &phase, phase + 1, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        ;
}

static void pause_cursor(struct record_cursor *cursor) {
    cursor->paused_next = cursor->next;
    cursor->paused_end = cursor->end;
    cursor->next = cursor->end = NULL;
    cursor->is_paused = true;
}

static void resume_cursor(struct record_cursor *cursor) {
    cursor->next = cursor->paused_next;
    cursor->end = cursor->paused_end;
    cursor->is_paused = false;
}

void record_append_past_hold(uint64_t ticks, enum spool_kind kind, uint32_t comm, uint64_t a, uint64_t b, uint64_t c) {
    struct record_cursor *cursor = &record_cursor;
    bool was_paused = cursor->is_paused;
    if (was_paused)
        resume_cursor(cursor);
    record_append(ticks, kind, 0, comm, a, b, c);
    if (was_paused)
        pause_cursor(cursor);
}

static void record_skipped(uint64_t ticks, uint32_t gap) {
    for (size_t i = 0; i < skipped.capacity; i++) {
        const struct channel *channel = &skipped.channels[i];
        if (channel->comm)
            record_append(ticks, SPOOL_SKIPPED, 0, channel->comm, (uint64_t)channel->peer << 32 | channel->tag,
                          (uint64_t)channel->sends << 32 | channel->receives, SPOOL_IN_GAP | gap);
    }
    free(skipped.channels);
    skipped.channels = NULL;
    skipped.capacity = skipped.used = 0;
}

void record_follow(void) {
    struct record_cursor *cursor = &record_cursor;
    uint32_t last_gap = record_gap();
    int saved_errno = errno;
    cursor->phase = __atomic_load_n(&record_phase, __ATOMIC_ACQUIRE);
    bool hold = cursor->phase & 1;
    if (hold && !cursor->is_paused) {
        record_append(clock_now(), SPOOL_OFF, 0, 0, (cursor->phase + 1) / 2, 0, 0);
        pause_cursor(cursor);
    } else if (!hold && cursor->is_paused) {
        uint64_t resume_ticks = clock_now();
        resume_cursor(cursor);
        record_skipped(resume_ticks, last_gap);
        /* While this thread made no call, the process may have resumed and paused again. Such gaps become one gap of
         * this thread, with the last one's number. */
        record_append(resume_ticks, SPOOL_ON, 0, 0, cursor->phase / 2, 0, 0);
    }
    errno = saved_errno;
}

static struct channel *slot_of(struct channel *channels, size_t capacity, uint32_t comm, uint32_t peer, uint32_t tag) {
    uint64_t hash = ((uint64_t)peer << 32 | tag) * 0x9E3779B97F4A7C15u ^ comm * 0xBF58476D1CE4E5B9u;
    size_t i = (hash ^ hash >> 29) & (capacity - 1);
    while (channels[i].comm && (channels[i].comm != comm || channels[i].peer != peer || channels[i].tag != tag))
        i = (i + 1) & (capacity - 1);
    return &channels[i];
}

static bool grow(void) {
    int saved_errno = errno;
    size_t capacity = skipped.capacity ? skipped.capacity * 2 : 64;
    struct channel *larger = calloc(capacity, sizeof *larger);
    errno = saved_errno;
    if (!larger)
        return false;
    for (size_t i = 0; i < skipped.capacity; i++) {
        const struct channel *old = &skipped.channels[i];
        if (old->comm)
            *slot_of(larger, capacity, old->comm, old->peer, old->tag) = *old;
    }
    free(skipped.channels);
    skipped.channels = larger;
    skipped.capacity = capacity;
    return true;
}

/* The counts for this communicator, peer and tag. If memory runs out, stops recording, because later messages could not
 * be matched, and returns NULL. */
static struct channel *channel_of(uint32_t comm, uint32_t peer, uint32_t tag) {
    if (skipped.used * 2 >= skipped.capacity && !grow()) {
        record_stop("out of memory while counting unrecorded messages");
        return NULL;
    }
    struct channel *channel = slot_of(skipped.channels, skipped.capacity, comm, peer, tag);
    skipped.used += channel->comm == 0;
    channel->comm = comm;
    channel->peer = peer;
    channel->tag = tag;
    return channel;
}

void record_skip_send(uint32_t comm, uint32_t peer, uint32_t tag) {
    struct channel *channel = channel_of(comm, peer, tag);
    if (channel)
        channel->sends++;
}

void record_skip_receive(uint32_t comm, uint32_t peer, uint32_t tag) {
    struct channel *channel = channel_of(comm, peer, tag);
    if (channel)
        channel->receives++;
}
