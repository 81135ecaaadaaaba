/* What one location (thread) did, as columns of records in the order in which they began.
 *
 * Times are the archive's ticks after clock correction, as signed numbers; kNull64 where the trace has none.
 * Communicators, regions and ranks are still the archive's own numbers.
 */
#pragma once

#include <otf2/otf2.h>

#include <vector>

#include "columns.h"
#include "regions.h"

namespace hopscope {

/* One rank's part of a collective. */
struct CallRecord {
    int64_t enter = 0;
    int64_t wait_begin = kNull64; /* nonblocking only, as complete */
    int64_t leave = kNull64;
    int64_t complete = kNull64;
    int64_t bytes_sent = 0;
    int64_t bytes_received = 0;
    int64_t seq = kNull64; /* set anew by the trace; else counted */
    uint64_t request = 0;  /* nonblocking only */
    bool nonblocking = false;
    bool persistent = false; /* numbered apart: counts of others do not go on from its seq */
    OTF2_RegionRef region = OTF2_UNDEFINED_REGION;
    OTF2_CommRef comm = OTF2_UNDEFINED_COMM; /* undefined: the trace does not say */
    uint32_t root = OTF2_COLLECTIVE_ROOT_NONE;
    OTF2_StringRef engine = OTF2_UNDEFINED_STRING;
    OTF2_CommRef shadow = OTF2_UNDEFINED_COMM; /* where its hops travelled */
    int32_t depth = 0;
};

/* The sending end of a message or hop. */
struct SendRecord {
    int64_t begin;
    int64_t wait_begin = kNull64;
    int64_t end = kNull64;
    int64_t bytes;
    OTF2_CommRef comm;
    uint32_t peer; /* rank of comm */
    uint32_t tag;
    int32_t call = -1; /* the collective around it */
};

/* Messages that are not recorded, counted so that the others keep their numbers. */
struct SkippedRecord {
    int64_t time; /* they come before what begins then on this location ... */
    size_t place; /* ... and after so many sends, or posts of receives, of it */
    uint64_t count;
    bool receives;
    OTF2_CommRef comm;
    uint32_t peer;
    uint32_t tag;
};

/* The receiving end of a message or hop. */
struct ReceiveRecord {
    int64_t post;
    int64_t wait_begin = kNull64;
    int64_t end = kNull64;
    int64_t bytes;
    uint64_t order; /* of posting, among this location's receives */
    OTF2_CommRef comm;
    uint32_t peer;
    uint32_t tag;
    int32_t call = -1;
    bool recorded = true; /* false: it ended while recording was off */
};

struct IntervalRecord {
    int64_t begin;
    int64_t end = kNull64;
    OTF2_RegionRef region; /* OTF2_UNDEFINED_REGION: it turned out to be a collective */
    int32_t depth;
};

struct StepRecord {
    int64_t begin;
    int64_t end = kNull64;
    int32_t call;
    RegionKind kind;
};

struct ClockOffsetRecord {
    int64_t at; /* raw ticks */
    int64_t offset;
    double error;
};

/* A request that another thread of the rank started. */
struct ForeignCompletion {
    uint64_t request;
    int64_t wait_begin, end;
    bool is_receive;
    int64_t bytes = 0; /* from here on: receives only */
    OTF2_CommRef comm = OTF2_UNDEFINED_COMM;
    uint32_t peer = 0, tag = 0;
    bool recorded = true;
};

/* Where a collective that was started before is complete. */
struct CollectiveEnd {
    uint64_t request;
    int64_t wait_begin, end;
    OTF2_CommRef comm;
    uint32_t root;
    int64_t bytes_sent, bytes_received;
};

inline void complete_collective(CallRecord &call, const CollectiveEnd &end) {
    call.comm = end.comm;
    call.root = end.root;
    call.bytes_sent = end.bytes_sent;
    call.bytes_received = end.bytes_received;
    call.wait_begin = end.wait_begin;
    call.complete = end.end;
}

struct OpenSend {
    uint64_t request;
    uint32_t index;
    bool is_hop;
};

struct OpenReceive {
    uint64_t request;
    int64_t post;
    uint64_t order;
    int32_t call;
};

struct LocationEvents {
    OTF2_LocationRef location = OTF2_UNDEFINED_LOCATION;
    uint64_t events = 0;
    int64_t first = kNull64, last = kNull64;
    std::vector<CallRecord> calls;
    std::vector<SendRecord> sends, hop_sends;
    std::vector<ReceiveRecord> receives, hop_receives;
    std::vector<IntervalRecord> intervals;
    std::vector<SkippedRecord> skipped;
    std::vector<StepRecord> steps;
    std::vector<ClockOffsetRecord> clock_offsets;
    /* Left open at the end, and ends without a begin: matched between the threads of a rank. */
    std::vector<OpenSend> open_sends;
    std::vector<OpenReceive> open_receives;
    std::vector<ForeignCompletion> foreign_completions;
    std::vector<CollectiveEnd> foreign_collectives; /* started by another thread of the rank */
};

} // namespace hopscope
