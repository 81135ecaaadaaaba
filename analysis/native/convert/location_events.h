/* The events of one location (thread), as queues of records in the order of their begins. A conversion reads piece by
 * piece, so a queue keeps only records that may still change or are not yet in a table.
 *
 * Times are the archive's ticks after clock correction; kNull64 if the trace has no time. Communicators, regions and
 * ranks still have the archive's own numbers.
 */
#pragma once

#include <otf2/otf2.h>

#include <limits>
#include <string>
#include <vector>

#include "columns.h"
#include "open_requests.h"
#include "queue.h"
#include "regions.h"

namespace hopscope {

/* The size in an archive's event as a signed number; 0 if it is too large. Tools write OTF2_UNDEFINED_UINT64 for a size
 * that they do not know. */
inline int64_t size_of(uint64_t bytes) {
    return bytes > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()) ? 0 : static_cast<int64_t>(bytes);
}

/* One rank's part of a collective. */
struct CallRecord {
    int64_t enter = 0;
    int64_t computed = 0; /* time outside MPI since the begin of its location's previous collective call */
    int64_t wait_begin =
        kNull64; /* only for nonblocking calls, like complete: the first poll of the row that led to it */
    int64_t computed_before = 0; /* all time outside MPI on its location before its enter */
    int64_t overlap = kNull64;   /* only for nonblocking calls: time outside MPI from enter to wait_begin */
    int64_t leave = kNull64;
    int64_t complete = kNull64;
    int64_t bytes_sent = 0;
    int64_t bytes_received = 0;
    int64_t seq = kNull64; /* the number in the trace; kNull64 if the converter must count */
    uint64_t request = 0;  /* only for nonblocking calls */
    bool nonblocking = false;
    bool persistent = false; /* true: it is numbered separately, so the next call's number does not follow from it */
    uint16_t hop_seq = 0;    /* the number in the tags of its hops; known if the trace has hops of the MPI library */
    OTF2_RegionRef region = OTF2_UNDEFINED_REGION;
    OTF2_CommRef comm = OTF2_UNDEFINED_COMM; /* undefined if the trace does not say */
    uint32_t root = OTF2_COLLECTIVE_ROOT_NONE;
    OTF2_StringRef engine = OTF2_UNDEFINED_STRING;
    OTF2_StringRef algorithm = OTF2_UNDEFINED_STRING;
    OTF2_CommRef shadow = OTF2_UNDEFINED_COMM; /* the communicator of its hops */
    int32_t depth = 0;
    int32_t completed_on = -1; /* index of the thread that found it complete, if it is not the call's thread */
    /* The number of unread events that will change it: its leave, its completion, and the end of each open message. */
    int32_t open = 0;
    /* The indices of its last hop send, hop receive and step in its location's queues; -1 if there is none. Each of
     * these records names its predecessor in the call. */
    int64_t last_hop_send = -1, last_hop_receive = -1, last_step = -1;
    int32_t hop_receives = 0; /* the number of its hop receives */
    /* The ends of its location's queues when it began. Its own hops and steps have these indices or higher ones. */
    int64_t first_hop_send = 0, first_hop_receive = 0, first_step = 0;
    /* The id of its collective, or kUnplaced if it became an interval because its collective is unknown. */
    int64_t collective = kNull64;
    int64_t call_id = kNull64;
    int64_t previous = -1; /* index of the location's previous call with a collective */
};

constexpr int64_t kUnplaced = -1;

/* The send of a message or hop. */
struct SendRecord {
    int64_t begin;
    int64_t wait_begin = kNull64;
    int64_t end = kNull64;
    int64_t bytes;
    OTF2_CommRef comm;
    uint32_t peer; /* rank in comm */
    uint32_t tag;
    int32_t location = -1;    /* for hops: index of its thread; -1 if it is the call's thread */
    int64_t predecessor = -1; /* for hops: the previous one in the same call */
    /* For messages: the kind of the MPI function that completes it. */
    paths::SendCall call = paths::SendCall::unspecific;
};

/* The number of unrecorded messages at one point of a location. Matching needs it, because it counts messages. */
struct SkippedRecord {
    int64_t time;   /* the point's time */
    uint64_t place; /* number of the location's sends, or posted receives, before this point */
    uint64_t count;
    bool receives;
    OTF2_CommRef comm;
    uint32_t peer;
    uint32_t tag;
};

/* The receive of a message or hop. */
struct ReceiveRecord {
    int64_t post;
    int64_t wait_begin = kNull64;
    int64_t end = kNull64;
    int64_t bytes;
    uint64_t order; /* number among this location's receives, in the order of their posts */
    OTF2_CommRef comm;
    uint32_t peer;
    uint32_t tag;
    int32_t location = -1;    /* for hops: index of its thread; -1 if it is the call's thread */
    int64_t predecessor = -1; /* for hops: the previous one in the same call */
    bool recorded = true;     /* false if it ended while recording was paused */
    bool by_times = false;    /* for hops: true if only times can show whether the rank waited for it */
};

struct IntervalRecord {
    int64_t begin;
    int64_t end = kNull64;
    OTF2_RegionRef region; /* OTF2_UNDEFINED_REGION if it turned out to be a collective */
    int32_t depth;
    uint8_t requests = 0; /* for a wait: a sum of Requests (regions.h) */
};

/* The end of an interval that had left the queue before it ended. */
struct LateEnd {
    int64_t interval; /* its index in the queue */
    int64_t time;
    uint8_t requests;
};

struct StepRecord {
    int64_t begin;
    int64_t end = kNull64;
    int64_t predecessor; /* index of the previous step of the same call */
    RegionKind kind;
};

struct ClockOffsetRecord {
    int64_t raw_time; /* raw ticks */
    int64_t offset;
    double error;
};

/* A span in which a thread of a rank with several threads waited for hops. */
struct HopWait {
    int64_t begin, end;
};

/* The end of a request that this thread completed, but another thread of the rank started. */
struct ForeignCompletion {
    uint64_t request;
    int64_t wait_begin, end; /* wait_begin: the begin of the MPI call that completed it */
    bool is_receive;
    int64_t bytes = 0; /* only for receives, as the fields below */
    OTF2_CommRef comm = OTF2_UNDEFINED_COMM;
    uint32_t peer = 0, tag = 0;
    bool recorded = true;
    bool waited = false; /* for a hop: true if the thread waited for it */
};

/* The completion of a nonblocking or persistent collective. */
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
    int64_t call; /* for a hop: index of the collective call that it belongs to */
    bool is_hop;
};

struct OpenReceive {
    int64_t post;
    uint64_t order;
    int64_t call; /* index of the collective call in which the receive was posted; -1 for none */
};

constexpr int64_t kEver = std::numeric_limits<int64_t>::max();

/* Times up to which a location's records are final: earlier records will not change, and no more of them will come. */
struct Horizon {
    int64_t calls = kNull64;     /* for the enters of calls whose communicator is known */
    int64_t sends = kNull64;     /* for the begins of sends, with their ends */
    int64_t receives = kNull64;  /* for the posts of complete receives */
    int64_t intervals = kNull64; /* for the begins of intervals; their ends may come later */
};

/* Damage of a location's file: where and why it becomes unreadable. */
struct Damage {
    std::string file; /* empty: the file was read to its end */
    std::string reason;
};

struct LocationEvents {
    OTF2_LocationRef location = OTF2_UNDEFINED_LOCATION;
    int32_t rank = -1;
    uint64_t events = 0;     /* number of events read so far */
    uint64_t expected = 0;   /* number of events that the archive promises */
    bool miscounted = false; /* true if its file is complete, but does not have `expected` events */
    bool exhausted = false;  /* true if there are no more events */
    Damage damage;           /* the place and the reason if its file cannot be read to the end */
    uint64_t set_back = 0;   /* events with a time before their predecessor's; they got their predecessor's time */
    int64_t first = kNull64, last = kNull64;
    Horizon horizon;
    bool has_mpi = false, finalized = false; /* true once an MPI call, or MPI_Finalize, was read */
    uint64_t stray_hops = 0;                 /* sends and receives of hops outside any collective */
    Queue<CallRecord> calls;
    Queue<SendRecord> sends, hop_sends;
    Queue<ReceiveRecord> hop_receives;
    std::vector<ReceiveRecord> receives; /* in the order of completion */
    Queue<IntervalRecord> intervals;
    std::vector<LateEnd> late_ends;
    std::vector<IntervalRecord> unplaced; /* calls of collectives on an unknown communicator, which become intervals */
    std::vector<SkippedRecord> skipped;
    Queue<StepRecord> steps;
    std::vector<ClockOffsetRecord> clock_offsets;
    OpenRequests<OpenSend> open_sends;
    OpenRequests<OpenReceive> open_receives;
    OpenRequests<int64_t> open_collectives; /* indices into calls */
    /* Ends of requests and collectives that another thread of the rank began. */
    std::vector<ForeignCompletion> foreign_completions;
    std::vector<CollectiveEnd> foreign_collectives;
    /* Sends and receives of the MPI library's hops that may belong to a call of another thread. open_unfiled_sends: the
     * sends that have not ended. */
    OpenRequests<SendRecord> open_unfiled_sends;
    std::vector<HopWait> hop_waits; /* waits for hops whose ends another thread may have seen */
    std::vector<SendRecord> unfiled_sends;
    std::vector<ReceiveRecord> unfiled_receives;
};

} // namespace hopscope
