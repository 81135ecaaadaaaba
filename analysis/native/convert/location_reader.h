/* One pass over one location's events into a LocationEvents. */
#pragma once

#include <algorithm>
#include <otf2/otf2.h>

#include <vector>

#include "comms.h"
#include "definitions.h"
#include "location_events.h"

namespace hopscope {

/* Receives libotf2's events. Register it as user data with OTF2_Reader_RegisterEvtCallbacks, together with
 * location_callbacks(). Call look_ahead() after each piece. */
class LocationReader {
  public:
    /* only_thread: the rank has no other location. */
    LocationReader(const Definitions &definitions, const Comms &comms, bool only_thread, LocationEvents &events);

    void enter(int64_t time, OTF2_RegionRef region, const OTF2_AttributeList *attributes);
    void leave(int64_t time, OTF2_RegionRef region, const OTF2_AttributeList *attributes);
    void collective_begin(int64_t time);
    void collective_end(int64_t time, uint8_t operation, OTF2_CommRef comm, uint32_t root, uint64_t sent,
                        uint64_t received);
    void collective_request(int64_t time, uint64_t request, const OTF2_AttributeList *attributes);
    void collective_complete(int64_t time, OTF2_CommRef comm, uint32_t root, uint64_t sent, uint64_t received,
                             uint64_t request);
    void send(int64_t time, OTF2_CommRef comm, uint32_t peer, uint32_t tag, uint64_t bytes);
    void send_begin(int64_t time, OTF2_CommRef comm, uint32_t peer, uint32_t tag, uint64_t bytes, uint64_t request);
    void send_complete(int64_t time, uint64_t request);
    void receive(int64_t time, OTF2_CommRef comm, uint32_t peer, uint32_t tag, uint64_t bytes);
    void receive_post(int64_t time, uint64_t request);
    void receive_complete(int64_t time, OTF2_CommRef comm, uint32_t peer, uint32_t tag, uint64_t bytes,
                          uint64_t request);
    void cancelled(int64_t time, uint64_t request);
    /* A one-sided transfer or one of a file is complete, or was found incomplete. */
    void transfer_complete(int64_t time, Requests kind);
    void transfer_tested(int64_t time, Requests kind);
    /* Recording was paused (active: false) or resumed. */
    void set_recording(int64_t time, bool active, const OTF2_AttributeList *attributes);
    void parameter(int64_t time, OTF2_ParameterRef parameter, uint64_t value, const OTF2_AttributeList *attributes);
    /* Handles any other event: it only shows that the location was active. If `time` is before the location's last
     * time, it becomes that time. */
    void note_activity(int64_t &time) {
        note_time(time);
        last_completion_.kind = LastCompletion::NoHop;
    }
    /* Sets the horizon before which records are final. */
    void look_ahead();

  private:
    enum class Opened { Call, Interval, Step, NoRecord };
    struct Frame {
        OTF2_RegionRef region = OTF2_UNDEFINED_REGION;
        RegionKind kind = RegionKind::User;
        Opened opened = Opened::NoRecord;
        uint8_t requests = 0; /* a sum of Requests */
        int64_t index = -1;   /* of the record that this frame opened */
        int64_t enter = 0;
        bool has_inner = false;     /* another frame was opened inside this one */
        bool in_mpi = false;        /* counted in mpi_depth_ */
        bool by_tool = false;       /* another tool's call: its messages are not the program's */
        int64_t blocking_send = -1; /* the open send that ends with this frame */
        int64_t overhead_step = -1; /* overhead inside a collective is both an interval and a step */
        int64_t seq = kNull64;      /* of a call of a window or file, if its attributes tell */
        OTF2_CommRef comm = OTF2_UNDEFINED_COMM;
        int64_t enclosing_call = -1;  /* restored when this call's frame ends */
        std::vector<int64_t> started; /* persistent collectives that began in this frame */
    };
    /* The completion of a hop just before this event. It serves traces whose requests do not show waits: a `hop wait`
     * that ends now waited for that hop. */
    struct LastCompletion {
        enum { NoHop, HopSend, HopReceive } kind = NoHop;
        int64_t index = 0;
        int64_t time = 0;
    };

    /* If times run backwards (strange clock offsets, another tool's archive), keeps the last time until they have
     * caught up: the rest of the conversion relies on the order of events. */
    void note_time(int64_t &time) {
        if (events_.first == kNull64)
            events_.first = events_.last = time;
        if (time < events_.last) {
            events_.set_back++;
            time = events_.last;
        }
        events_.last = time;
    }
    const Region &region(OTF2_RegionRef ref) const;
    Frame *mpi_frame();
    /* True in a call that another tool made itself. */
    bool in_tools_call();
    int64_t mpi_enter(int64_t fallback);
    /* When the wait that something ends now began: the open MPI call, or the first of the polls that led to it. */
    int64_t wait_enter(int64_t fallback);
    void begin_polls(int64_t time, Polling polling);
    /* The kind of send call of the innermost open MPI function. */
    paths::SendCall send_call();
    void read_place(CallRecord &call, const OTF2_AttributeList *attributes) const;
    /* The key that both events of a request share. Which of the two events shows a wait depends on the threads. */
    uint64_t key_of(uint64_t request) const {
        return definitions_.requests_tell_waits ? request & ~uint64_t{1} : request;
    }
    bool waited(uint64_t request) const {
        return definitions_.requests_tell_waits && archive_request_waited(request);
    }
    void end_hop(SendRecord &send, uint64_t request, int64_t time) const;
    /* The time at which the wait for a hop began, if the hop began at `begin` and completes now. kNull64 if the hop
     * came early, or if its request does not show waits. A hop may begin while the rank already waits. */
    int64_t hop_wait_begin(uint64_t request, int64_t begin) const {
        const bool waits = waited(request) && !stack_.empty() && stack_.back().kind == RegionKind::HopWait;
        return waits ? std::max(begin, stack_.back().enter) : kNull64;
    }
    void become_call(Frame &frame);
    int64_t open_call(CallRecord call);
    void number_hops(CallRecord &call);
    int64_t call_of_hop(const Shadow &shadow, uint32_t tag) const;
    int64_t add_step(int64_t time, RegionKind kind);
    void close_frame(int64_t time);
    void end_interval(int64_t index, int64_t time, uint8_t requests = 0);
    /* Notes for what the innermost region waits. */
    void note_requests(Requests kind) {
        if (!stack_.empty())
            stack_.back().requests |= kind;
    }
    void enter_mpi(int64_t time);
    void leave_mpi(int64_t time);
    int64_t take_computed();

    const Definitions &definitions_;
    const Comms &comms_;
    const bool only_thread_;
    LocationEvents &events_;
    RefTable<int64_t> next_seq_; /* by communicator, if the trace has hops of the MPI library */
    std::vector<Frame> stack_;
    int64_t current_call_ = -1;
    uint64_t receive_order_ = 0;
    LastCompletion last_completion_;
    /* Polls and receives in a row, with hardly any time between them. */
    struct Polls {
        int64_t begin = kNull64;     /* of the first poll; kNull64: the last call is none of them */
        int64_t computed_before = 0; /* computed_in_all_ at the first poll, or at the last call if it is none of them */
        int64_t end = 0;
        bool completed = false; /* something was complete, so the next call does not belong to them */
    } polls_;
    struct Gap {
        uint32_t last; /* its number; for consecutive gaps that of the last one */
        int64_t end;
        uint64_t receives; /* number of receives posted before the gap */
    };
    std::vector<Gap> gaps_;
    int64_t pause_ = -1; /* the interval of the current gap */
    /* Time outside MPI, overhead and recording gaps is computing. mpi_depth_: how many of these are open. */
    int32_t mpi_depth_ = 0;
    int64_t left_mpi_ = kNull64; /* the time at which the last of them ended */
    int64_t computed_in_all_ = 0;
    int64_t computed_before_call_ = 0; /* the part of the computing before the last call's enter */
};

/* The callbacks that turn libotf2's events into calls of a LocationReader. The caller deletes them. */
OTF2_EvtReaderCallbacks *location_callbacks();

} // namespace hopscope
