/* Writes the records of one end of a message inside the MPI library. Each message has two ends, the sender's and the
 * receiver's. */
#ifndef HOPSCOPE_NATIVE_RECORDS_H
#define HOPSCOPE_NATIVE_RECORDS_H

#include "native/shared/subject.h"
#include "record/record.h"

struct native_end {
    uint64_t id, peer_and_tag, bytes;
    uint32_t comm;
    bool sends;
};

/* The other end's rank in the application's communicator, as the upper half of peer_and_tag. */
static inline uint64_t native_peer(struct subject_ranks ranks, int peer) {
    int comm_rank = ranks.comm_ranks && peer >= 0 && peer < ranks.count ? ranks.comm_ranks[peer] : peer;
    return (uint64_t)((uint32_t)comm_rank | ranks.group) << 32;
}

/* Returns an end that has not begun yet. */
static inline struct native_end native_end_of(const struct subject *subject, bool sends, int peer, uint64_t bytes) {
    uint32_t tag = hop_tag(ROLE_EXCHANGE, subject->key, subject->key >> HOP_ROUND_BITS, subject->seq);
    return (struct native_end){
        .peer_and_tag = native_peer(subject->ranks, peer) | tag, .bytes = bytes, .comm = subject->comm, .sends = sends};
}

/* Records that an end begins now. tree: the id of the definition that the records name. */
static inline void native_end_begin(struct native_end *end, uint16_t tree) {
    end->id = record_request_id();
    record_append(clock_now(), end->sends ? SPOOL_HOP_ISEND : SPOOL_HOP_IRECV_POST, tree, end->comm, end->peer_and_tag,
                  end->bytes, end->id);
}

static inline void native_end_finish(const struct native_end *end, uint16_t tree, uint64_t ticks, bool ended_wait) {
    record_append(ticks, end->sends ? SPOOL_HOP_ISEND_COMPLETE : SPOOL_HOP_IRECV, tree, end->comm, end->peer_and_tag,
                  end->bytes, end->id | (ended_wait ? SPOOL_WAITED : 0));
}

/* Returns the begin of a wait before which the library looked for messages. Messages that the look completed were
 * recorded after begin_ticks. The wait must not begin before their records. */
static inline uint64_t native_after_look(uint64_t begin_ticks) {
    const struct spool_record *last = record_last();
    return last && last->ticks > begin_ticks ? last->ticks : begin_ticks;
}

/* Records that a wait of the library begins or ends. */
static inline void native_wait(uint64_t ticks, enum spool_kind kind, uint16_t tree) {
    record_append(ticks, kind, tree, 0, 0, 0, 0);
}

#endif
