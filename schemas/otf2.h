/* The words and numbers of Hopscope's archives, for C and C++ alike. Every writer and reader includes this file.
 * otf2.md explains them, and a test compares it with this file. Nothing here needs libotf2.
 */
#ifndef HOPSCOPE_SCHEMAS_OTF2_H
#define HOPSCOPE_SCHEMAS_OTF2_H

#include <stdint.h>

#include "schemas/words.h"

/* Properties of the trace. */
#define ARCHIVE_PROPERTY_VERSION "HOPSCOPE::VERSION"
#define ARCHIVE_PROPERTY_RUN "HOPSCOPE::RUN"
/* Archives without this property have format 1: their requests do not say what was waited for. */
#define ARCHIVE_PROPERTY_FORMAT "HOPSCOPE::FORMAT"
#define ARCHIVE_FORMAT "2"

/* The first begins the names of location groups. The others are properties of location groups. */
#define ARCHIVE_RANK "MPI Rank "
#define ARCHIVE_PROPERTY_WORLD "HOPSCOPE::WORLD"
#define ARCHIVE_PROPERTY_WORLD_RANK "HOPSCOPE::WORLD_RANK"
#define ARCHIVE_PROPERTY_PID "HOPSCOPE::PID"
#define ARCHIVE_PROPERTY_CORE "HOPSCOPE::CORE"
#define ARCHIVE_PROPERTY_CORES "HOPSCOPE::CORES"
#define ARCHIVE_PROPERTY_BUSY_THREADS "HOPSCOPE::BUSY_THREADS"
#define ARCHIVE_PROPERTY_CPU_NS "HOPSCOPE::CPU_NS"
#define ARCHIVE_PROPERTY_QUEUED_NS "HOPSCOPE::QUEUED_NS"
#define ARCHIVE_PROPERTY_COMPUTING_NS "HOPSCOPE::COMPUTING_NS"
#define ARCHIVE_PROPERTY_COMPUTING_ON_CORE_NS "HOPSCOPE::COMPUTING_ON_CORE_NS"
#define ARCHIVE_PROPERTY_COMPUTING_QUEUED_NS "HOPSCOPE::COMPUTING_QUEUED_NS"
#define ARCHIVE_PROPERTY_COMPUTING_CPU_NS "HOPSCOPE::COMPUTING_CPU_NS"
#define ARCHIVE_PROPERTY_CLOCK_HOST "HOPSCOPE::CLOCK_HOST"
#define ARCHIVE_PROPERTY_MEMORY "HOPSCOPE::MEMORY"
#define ARCHIVE_PROPERTY_COMPLETE "HOPSCOPE::COMPLETE"
#define ARCHIVE_COMPLETE "yes"

/* Classes of system tree nodes. */
#define ARCHIVE_CLASS_MACHINE "machine"
#define ARCHIVE_CLASS_CLUSTER "cluster"
#define ARCHIVE_CLASS_HOST "node"
#define ARCHIVE_CLASS_WORLD "world"

/* The collector's own regions, and suffixes of other regions' names. */
#define ARCHIVE_REGION_HOP_WAIT "hop wait"
#define ARCHIVE_REGION_COMBINE "combine"
#define ARCHIVE_REGION_COPY "copy"
#define ARCHIVE_REGION_OVERHEAD "collector overhead"
#define ARCHIVE_REGION_IDLE "no thread"
#define ARCHIVE_REGION_JOIN "thread join"
#define ARCHIVE_REFUSED " (refused)"

/* Begins the description of a region whose calling function is known. */
#define ARCHIVE_CALLED_FROM "called from "
#define ARCHIVE_FROM " from "

/* Names of shadow communicators begin with the first if our engine made the hops, with the second if they are the MPI
 * library's own. The second also begins the attribute hopscope::engine of a call that was left to the library. */
#define ARCHIVE_HOPS "hops:"
#define ARCHIVE_NATIVE "native:"

/* The reason for a call of which the MPI library's messages were recorded, but this rank had none. */
#define ARCHIVE_SILENT "no message of the MPI library was seen on this rank"

/* The name of an attribute is "hopscope::" and the word. X(ID, word, type, description) */
#define ARCHIVE_ATTRIBUTES(X)                                                                                          \
    X(ENGINE, engine, STRING, "Who executed the collective, where a tree was asked for")                               \
    X(ALGORITHM, algorithm, STRING,                                                                                    \
      "The algorithm of the MPI library that ran the collective, in the library's words")                              \
    X(SEQ, seq, INT64, "The collective's number on its communicator, where it does not follow")                        \
    X(COMM, comm, UINT32, "The communicator of a collective call, where no end of it may follow")                      \
    X(FUNCTION, function, REGION, "Which persistent collective was started")                                           \
    X(GAP, gap, UINT32, "Number of a stretch in which recording was off")                                              \
    X(PEER, peer, UINT32, "The other end of messages that are not recorded")                                           \
    X(TAG, tag, UINT32, "The tag of messages that are not recorded")                                                   \
    X(REQUEST, request, UINT64, "The request of a receive whose end is not recorded")
#define ARCHIVE_ATTRIBUTE(word) "hopscope::" #word

#define ARCHIVE_PARAMETER_SENDS "sends not recorded"
#define ARCHIVE_PARAMETER_RECEIVES "receives not recorded"

/* In the seq of a persistent collective, the request's number begins at this bit; the number of the start is below
 * it. */
enum { ARCHIVE_PERSISTENT_SHIFT = 32 };

/* A request's number. For a hop, its lowest bit is 1 if the hop's completion ended a wait of this rank. */
static inline uint64_t archive_request(uint64_t id, int waited) {
    return id << 1 | (waited != 0);
}

static inline int archive_request_waited(uint64_t request) {
    return (int)(request & 1);
}

/* A flag in the tag of a partitioned message, which matches only other partitioned messages. */
#define ARCHIVE_PARTITIONED ((uint32_t)1 << 31)

/* The tag of a hop, from its lowest bit on: role (enum hop_role), round, segment, seq; of each only the lower bits. */
enum {
    HOP_ROLE_BITS = 2,
    HOP_ROUND_BITS = 6,
    HOP_SEGMENT_BITS = 8,
    HOP_SEQ_BITS = 16,
    HOP_ROUND_AT = HOP_ROLE_BITS,
    HOP_SEGMENT_AT = HOP_ROUND_AT + HOP_ROUND_BITS,
    HOP_SEQ_AT = HOP_SEGMENT_AT + HOP_SEGMENT_BITS
};

static inline uint32_t hop_bits(uint64_t value, int bits) {
    return (uint32_t)(value & ((1u << bits) - 1));
}

/* The bits of a seq in a tag. The seqs of persistent collectives also differ in their upper bits, so these are mixed
 * in. */
static inline uint32_t hop_seq_bits(uint64_t seq) {
    return hop_bits(seq + (seq >> ARCHIVE_PERSISTENT_SHIFT) * 40503, HOP_SEQ_BITS);
}

static inline uint32_t hop_tag(uint32_t role, uint32_t round, uint32_t segment, uint64_t seq) {
    return hop_bits(role, HOP_ROLE_BITS) | hop_bits(round, HOP_ROUND_BITS) << HOP_ROUND_AT |
           hop_bits(segment, HOP_SEGMENT_BITS) << HOP_SEGMENT_AT | hop_seq_bits(seq) << HOP_SEQ_AT;
}

static inline uint32_t hop_role_of(uint32_t tag) {
    return hop_bits(tag, HOP_ROLE_BITS);
}

static inline uint32_t hop_round_of(uint32_t tag) {
    return hop_bits(tag >> HOP_ROUND_AT, HOP_ROUND_BITS);
}

static inline uint32_t hop_segment_of(uint32_t tag) {
    return hop_bits(tag >> HOP_SEGMENT_AT, HOP_SEGMENT_BITS);
}

static inline uint32_t hop_seq_of(uint32_t tag) {
    return tag >> HOP_SEQ_AT;
}

#endif
