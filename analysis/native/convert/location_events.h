/* What one location (thread) did, as queues of records in the order in which they began. Only what may still change or
 * has not been taken yet is there: a conversion reads piece by piece.
 *
 * Times are the archive's ticks after clock correction, as signed numbers; kNull64 where the trace has none.
 * Communicators, regions and ranks are still the archive's own numbers.
 */
#pragma once

#include <otf2/otf2.h>

#include <string>
#include <vector>

#include "columns.h"
#include "open_requests.h"
#include "queue.h"
#include "regions.h"

namespace hopscope {

/* One rank's part of a collective. */
struct CallRecord {
    int64_t enter = 0;
    int64_t computed = 0;         /* outside MPI, since its location entered the call before */
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
    /* What may still change it: it has not left, is not complete, or one of its messages is not. */
    int32_t open = 0;
    /* The last of its hops and steps, each of which names the one before: -1 for none. And how many hops there are. */
    int64_t last_hop_send = -1, last_hop_receive = -1, last_step = -1;
    int32_t hop_receives = 0;
    /* Where its location's queues were when it began: its own records are there or later. */
    int64_t first_hop_send = 0, first_hop_receive = 0, first_step = 0;
    /* What it became: a call of that collective, or (kUnplaced) an interval. */
    int64_t collective = kNull64;
    int64_t call_id = kNull64;
    int64_t previous = -1; /* the call before it on the location that became one of a collective */
};

constexpr int64_t kUnplaced = -1;

/* The sending end of a message or hop. */
struct SendRecord {
    int64_t begin;
    int64_t wait_begin = kNull64;
    int64_t end = kNull64;
    int64_t bytes;
    OTF2_CommRef comm;
    uint32_t peer; /* rank of comm */
    uint32_t tag;
    int64_t before = -1; /* of hops: the one before in the same call */
};

/* Messages that are not recorded, counted so that the others keep their numbers. */
struct SkippedRecord {
    int64_t time;   /* they come before what begins then on this location ... */
    uint64_t place; /* ... and after so many sends, or posts of receives, of it */
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
    int64_t before = -1;  /* of hops */
    bool recorded = true; /* false: it ended while recording was off */
};

struct IntervalRecord {
    int64_t begin;
    int64_t end = kNull64;
    OTF2_RegionRef region; /* OTF2_UNDEFINED_REGION: it turned out to be a collective */
    int32_t depth;
};

/* The end of an interval that had left the queue when it came. */
struct LateEnd {
    int64_t interval; /* its place in the queue */
    int64_t at;
};

struct StepRecord {
    int64_t begin;
    int64_t end = kNull64;
    int64_t before; /* in the same call */
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
    call.open--;
    call.comm = end.comm;
    call.root = end.root;
    call.bytes_sent = end.bytes_sent;
    call.bytes_received = end.bytes_received;
    call.wait_begin = end.wait_begin;
    call.complete = end.end;
}

struct OpenSend {
    int64_t index;
    int64_t call; /* of a hop: the collective around it */
    bool is_hop;
};

struct OpenReceive {
    int64_t post;
    uint64_t order;
    int64_t call; /* the collective around the posting; -1 for none */
};

constexpr int64_t kEver = std::numeric_limits<int64_t>::max();

/* Times before which nothing of a location changes any more and nothing is added. */
struct Horizon {
    int64_t calls = kNull64;     /* enters of calls whose communicator is known */
    int64_t sends = kNull64;     /* begins of sends, with their ends */
    int64_t receives = kNull64;  /* posts of receives that are complete */
    int64_t intervals = kNull64; /* begins of intervals; their ends may come later */
};

/* Where a location's file stops being readable. */
struct Damage {
    std::string file; /* empty: it was read to its end */
    std::string why;
};

struct LocationEvents {
    OTF2_LocationRef location = OTF2_UNDEFINED_LOCATION;
    int32_t rank = -1;
    uint64_t events = 0;   /* read so far */
    uint64_t expected = 0; /* as the archive says */
    bool ended = false;    /* no more will come */
    Damage damage;         /* why it ended early */
    uint64_t set_back = 0; /* events whose time was before that of the one before them, and was taken to be the same */
    int64_t first = kNull64, last = kNull64;
    Horizon horizon;
    bool has_mpi = false, finalized = false; /* of what was read */
    uint64_t stray_hops = 0;                 /* ends of hops outside collectives */
    Queue<CallRecord> calls;
    Queue<SendRecord> sends, hop_sends;
    Queue<ReceiveRecord> hop_receives;
    std::vector<ReceiveRecord> receives; /* in the order of completion */
    Queue<IntervalRecord> intervals;
    std::vector<LateEnd> late_ends;
    std::vector<IntervalRecord> unplaced; /* collectives on a communicator that the trace does not name */
    std::vector<SkippedRecord> skipped;
    Queue<StepRecord> steps;
    std::vector<ClockOffsetRecord> clock_offsets;
    OpenRequests<OpenSend> open_sends;
    OpenRequests<OpenReceive> open_receives;
    OpenRequests<int64_t> open_collectives; /* places in calls */
    /* Ends without a begin: what another thread of the rank began. */
    std::vector<ForeignCompletion> foreign_completions;
    std::vector<CollectiveEnd> foreign_collectives;
};

} // namespace hopscope
