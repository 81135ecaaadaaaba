/* The words and numbers in Hopscope's archives, for C and C++. Every writer and reader includes this file. otf2.md
 * explains them, and a test compares the two files. This file does not need libotf2.
 */
#ifndef HOPSCOPE_SCHEMAS_OTF2_H
#define HOPSCOPE_SCHEMAS_OTF2_H

#include <stdint.h>

#include "schemas/words.h"

/* Properties of the trace. */
#define ARCHIVE_PROPERTY_VERSION "HOPSCOPE::VERSION"
#define ARCHIVE_PROPERTY_RUN "HOPSCOPE::RUN"
/* The version of the format. Archives without this property have format 1, in which requests do not show waits. */
#define ARCHIVE_PROPERTY_FORMAT "HOPSCOPE::FORMAT"
#define ARCHIVE_FORMAT "2"

/* ARCHIVE_RANK: the beginning of the names of location groups. The following ones: properties of location groups. */
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

/* The names of the collector's own regions, and the suffix of the region of a call that MPI refused. */
#define ARCHIVE_REGION_HOP_WAIT "hop wait"
#define ARCHIVE_REGION_COMBINE "combine"
#define ARCHIVE_REGION_COPY "copy"
#define ARCHIVE_REGION_OVERHEAD "collector overhead"
#define ARCHIVE_REGION_IDLE "no thread"
#define ARCHIVE_REGION_JOIN "thread join"
#define ARCHIVE_REFUSED " (refused)"

/* The beginning of a region's description if the calling function is known. ARCHIVE_FROM precedes each caller. */
#define ARCHIVE_CALLED_FROM "called from "
#define ARCHIVE_FROM " from "

/* The beginning of a shadow communicator's name: ARCHIVE_HOPS if our engine made the hops, ARCHIVE_NATIVE if they are
 * the MPI library's own. ARCHIVE_NATIVE also begins the attribute hopscope::engine of a call that was left to the
 * library. */
#define ARCHIVE_HOPS "hops:"
#define ARCHIVE_NATIVE "native:"

/* The reason in hopscope::engine if the MPI library's messages were recorded, but this rank had none in the call. */
#define ARCHIVE_SILENT "no message of the MPI library was seen on this rank"

/* The attributes. The name of an attribute is "hopscope::" followed by the word. X(ID, word, type, description) */
#define ARCHIVE_ATTRIBUTES(X)                                                                                          \
    X(ENGINE, engine, STRING, "The executor of the collective, if a tree was requested")                               \
    X(ALGORITHM, algorithm, STRING,                                                                                    \
      "The algorithm of the MPI library that ran the collective, in the library's words")                              \
    X(SEQ, seq, INT64, "The collective's number on its communicator, if the trace does not show it otherwise")         \
    X(COMM, comm, UINT32, "The communicator of a collective call whose end may be missing")                            \
    X(FUNCTION, function, REGION, "The function and start of a persistent collective")                                 \
    X(GAP, gap, UINT32, "Number of a gap in which recording was off")                                                  \
    X(PEER, peer, UINT32, "The peer of messages that are not recorded")                                                \
    X(TAG, tag, UINT32, "The tag of messages that are not recorded")                                                   \
    X(REQUEST, request, UINT64, "The request of a receive whose end is not recorded")
#define ARCHIVE_ATTRIBUTE(word) "hopscope::" #word

#define ARCHIVE_PARAMETER_SENDS "sends not recorded"
#define ARCHIVE_PARAMETER_RECEIVES "receives not recorded"

/* The seq of a persistent collective has the request's number from this bit on, and the number of the start in the bits
 * below. */
enum { ARCHIVE_PERSISTENT_SHIFT = 32 };

/* The number of a request in the archive. For a hop, its lowest bit is 1 if the hop ended a wait when it was complete.
 */
static inline uint64_t archive_request(uint64_t id, int waited) {
    return id << 1 | (waited != 0);
}

static inline int archive_request_waited(uint64_t request) {
    return (int)(request & 1);
}

/* A flag in the tag of partitioned messages, which match only one another. */
#define ARCHIVE_PARTITIONED ((uint32_t)1 << 31)

/* The tag of a hop consists, from the lowest bit on, of the lower bits of: role (enum hop_role), round, segment, seq.
 */
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

/* The bits of a seq that a tag contains. The seqs of persistent collectives differ in their upper bits, so these are
 * mixed into the lower ones. */
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
