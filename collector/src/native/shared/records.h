/* One end of a message inside the MPI library, as the records of a hop. */
#ifndef HOPSCOPE_NATIVE_RECORDS_H
#define HOPSCOPE_NATIVE_RECORDS_H

#include "native/shared/subject.h"
#include "record/record.h"

struct native_end {
    uint64_t id, peer_and_tag, bytes;
    uint32_t comm;
    bool sends;
};

/* The other end's place in peer_and_tag: its rank in the application's communicator. */
static inline uint64_t native_peer(struct subject_ranks ranks, int peer) {
    int its = ranks.of && peer >= 0 && peer < ranks.count ? ranks.of[peer] : peer;
    return (uint64_t)((uint32_t)its | ranks.group) << 32;
}

/* An end that has not begun yet. */
static inline struct native_end native_end_of(const struct subject *subject, bool sends, int peer, uint64_t bytes) {
    uint32_t tag = hop_tag(ROLE_EXCHANGE, subject->key, subject->key >> HOP_ROUND_BITS, subject->seq);
    return (struct native_end){
        .peer_and_tag = native_peer(subject->ranks, peer) | tag, .bytes = bytes, .comm = subject->comm, .sends = sends};
}

/* It begins now, under this definition. */
static inline void native_end_begin(struct native_end *end, uint16_t tree) {
    end->id = record_request_id();
    record_append(clock_now(), end->sends ? SPOOL_HOP_ISEND : SPOOL_HOP_IRECV_POST, tree, end->comm, end->peer_and_tag,
                  end->bytes, end->id);
}

static inline void native_end_finish(const struct native_end *end, uint16_t tree, uint64_t now, bool ended_wait) {
    record_append(now, end->sends ? SPOOL_HOP_ISEND_COMPLETE : SPOOL_HOP_IRECV, tree, end->comm, end->peer_and_tag,
                  end->bytes, end->id | (ended_wait ? SPOOL_WAITED : 0));
}

/* When a wait begins that was to begin now, and the library has looked since: not before what it recorded meanwhile. */
static inline uint64_t native_after_look(uint64_t now) {
    const struct spool_record *last = record_last();
    return last && last->ticks > now ? last->ticks : now;
}

/* A wait of the library begins or ends. */
static inline void native_wait(uint64_t now, enum spool_kind kind, uint16_t tree) {
    record_append(now, kind, tree, 0, 0, 0, 0);
}

#endif
