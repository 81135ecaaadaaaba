/* The events of one location (thread), as queues of records in the order of their begins. A conversion reads piece by
 * piece, so a queue keeps only records that may still change or have not been taken yet.
 *
 * Times are the archive's ticks after clock correction, signed; kNull64 if the trace has none. Communicators, regions
 * and ranks still have the archive's own numbers.
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

/* A size as the archive has it; 0 for an impossible size such as OTF2_UNDEFINED_UINT64, by which a writer says that it
 * did not know the size. */
inline int64_t size_of(uint64_t bytes) {
    return bytes > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()) ? 0 : static_cast<int64_t>(bytes);
}

/* One rank's part of a collective. */
struct CallRecord {
    int64_t enter = 0;
    int64_t computed = 0;         /* time outside MPI since its location's previous call was entered */
    int64_t wait_begin = kNull64; /* nonblocking only, like complete; of the first poll that led to it */
    int64_t computed_before = 0;  /* time outside MPI on its location before its enter */
    int64_t overlap = kNull64;    /* nonblocking: time outside MPI from its enter to wait_begin */
    int64_t leave = kNull64;
    int64_t complete = kNull64;
    int64_t bytes_sent = 0;
    int64_t bytes_received = 0;
    int64_t seq = kNull64; /* given by the trace; otherwise counted */
    uint64_t request = 0;  /* nonblocking only */
    bool nonblocking = false;
    bool persistent = false; /* numbered separately: counting does not continue from its seq */
    uint16_t hop_seq = 0;    /* the number in the tags of its hops; known if the trace has hops of the MPI library */
    OTF2_RegionRef region = OTF2_UNDEFINED_REGION;
    OTF2_CommRef comm = OTF2_UNDEFINED_COMM; /* undefined if the trace does not say */
    uint32_t root = OTF2_COLLECTIVE_ROOT_NONE;
    OTF2_StringRef engine = OTF2_UNDEFINED_STRING;
    OTF2_StringRef algorithm = OTF2_UNDEFINED_STRING;
    OTF2_CommRef shadow = OTF2_UNDEFINED_COMM; /* the communicator of its hops */
    int32_t depth = 0;
    int32_t completed_on = -1; /* index of the thread that found it complete, if it is not the call's thread */
    /* Number of events still to come that change it: its leave, its completion, and the end of each open message. */
    int32_t open = 0;
    /* Its last hop send, hop receive and step, each of which names its predecessor; -1 for none. hop_receives: their
     * number. */
    int64_t last_hop_send = -1, last_hop_receive = -1, last_step = -1;
    int32_t hop_receives = 0;
    /* The ends of its location's queues at its begin: its own hops and steps come from there on. */
    int64_t first_hop_send = 0, first_hop_receive = 0, first_step = 0;
    /* The collective that it belongs to, or kUnplaced if it became an interval. */
    int64_t collective = kNull64;
    int64_t call_id = kNull64;
    int64_t previous = -1; /* the previous call on this location that belongs to a collective */
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
    int32_t location = -1;    /* for hops: index of its thread; -1 if it is the call's thread */
    int64_t predecessor = -1; /* for hops: the previous one in the same call */
    /* For messages: the call that completes it. */
    paths::SendCall call = paths::SendCall::unspecific;
};

/* Messages that were not recorded, counted so that the recorded ones match correctly. */
struct SkippedRecord {
    int64_t time;   /* they come before anything that begins then on this location ... */
    uint64_t place; /* ... and after this many of its sends, or of its posts of receives */
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
    uint64_t order; /* number among this location's receives, in the order of their posts */
    OTF2_CommRef comm;
    uint32_t peer;
    uint32_t tag;
    int32_t location = -1;    /* for hops: index of its thread; -1 if it is the call's thread */
    int64_t predecessor = -1; /* for hops: the previous one in the same call */
    bool recorded = true;     /* false: it ended while recording was paused */
    bool by_times = false;    /* for hops: only times can show if the rank waited for it */
};

struct IntervalRecord {
    int64_t begin;
    int64_t end = kNull64;
    OTF2_RegionRef region; /* OTF2_UNDEFINED_REGION: not an interval but a collective */
    int32_t depth;
    uint8_t requests = 0; /* of a wait: a sum of Requests */
};

/* The end of an interval that had already left the queue. */
struct LateEnd {
    int64_t interval; /* its index in the queue */
    int64_t time;
    uint8_t requests;
};

struct StepRecord {
    int64_t begin;
    int64_t end = kNull64;
    int64_t predecessor; /* the previous one in the same call */
    RegionKind kind;
};

struct ClockOffsetRecord {
    int64_t raw_time; /* raw ticks */
    int64_t offset;
    double error;
};

/* A span in which a thread could only wait for hops. */
struct HopWait {
    int64_t begin, end;
};

/* The end of a request that another thread of the rank started. */
struct ForeignCompletion {
    uint64_t request;
    int64_t wait_begin, end; /* wait_begin: as for a message */
    bool is_receive;
    int64_t bytes = 0; /* this field and the following ones: for receives only */
    OTF2_CommRef comm = OTF2_UNDEFINED_COMM;
    uint32_t peer = 0, tag = 0;
    bool recorded = true;
    bool waited = false; /* of a hop: it ended a wait */
};

/* The completion of a collective that was started earlier. */
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
    int64_t call; /* for a hop: the enclosing collective */
    bool is_hop;
};

struct OpenReceive {
    int64_t post;
    uint64_t order;
    int64_t call; /* the collective in which the receive was posted; -1 for none */
};

constexpr int64_t kEver = std::numeric_limits<int64_t>::max();

/* Times before which the records of a location are final: such a record does not change, and no more are added. */
struct Horizon {
    int64_t calls = kNull64;     /* enters of calls whose communicator is known */
    int64_t sends = kNull64;     /* begins of sends, with their ends */
    int64_t receives = kNull64;  /* posts of receives that are complete */
    int64_t intervals = kNull64; /* begins of intervals; their ends may come later */
};

/* Damage of a location's file: where and why it becomes unreadable. */
struct Damage {
    std::string file; /* empty: the file was read to its end */
    std::string reason;
};

struct LocationEvents {
    OTF2_LocationRef location = OTF2_UNDEFINED_LOCATION;
    int32_t rank = -1;
    uint64_t events = 0;     /* read so far */
    uint64_t expected = 0;   /* as the archive says */
    bool miscounted = false; /* its file is whole and has another number of events */
    bool exhausted = false;  /* there are no more events */
    Damage damage;           /* why the events end early */
    uint64_t set_back = 0;   /* events with a time before their predecessor's, which replaced it */
    int64_t first = kNull64, last = kNull64;
    Horizon horizon;
    bool has_mpi = false, finalized = false; /* in the events read so far */
    uint64_t stray_hops = 0;                 /* ends of hops outside any collective */
    Queue<CallRecord> calls;
    Queue<SendRecord> sends, hop_sends;
    Queue<ReceiveRecord> hop_receives;
    std::vector<ReceiveRecord> receives; /* in the order of completion */
    Queue<IntervalRecord> intervals;
    std::vector<LateEnd> late_ends;
    std::vector<IntervalRecord> unplaced; /* collectives on an unknown communicator, as intervals */
    std::vector<SkippedRecord> skipped;
    Queue<StepRecord> steps;
    std::vector<ClockOffsetRecord> clock_offsets;
    OpenRequests<OpenSend> open_sends;
    OpenRequests<OpenReceive> open_receives;
    OpenRequests<int64_t> open_collectives; /* indices into calls */
    /* Ends without a begin on this location: another thread of the rank began them. */
    std::vector<ForeignCompletion> foreign_completions;
    std::vector<CollectiveEnd> foreign_collectives;
    /* Ends of the MPI library's hops that may belong to a call of another thread. Sends stay open until they end. */
    OpenRequests<SendRecord> open_unfiled_sends;
    std::vector<HopWait> hop_waits; /* waits that another thread may have ended */
    std::vector<SendRecord> unfiled_sends;
    std::vector<ReceiveRecord> unfiled_receives;
};

} // namespace hopscope
