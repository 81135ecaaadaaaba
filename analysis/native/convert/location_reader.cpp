/* The state machine of one location: open regions, open requests, and the current collective. */
#include "location_reader.h"

#include <algorithm>
#include <utility>

namespace hopscope {

LocationReader::LocationReader(const Definitions &definitions, const Comms &comms, bool only_thread,
                               LocationEvents &events)
    : definitions_(definitions), comms_(comms), only_thread_(only_thread), events_(events) {}

const Region &LocationReader::region(OTF2_RegionRef ref) const {
    return definitions_.region(ref);
}

/* The innermost open MPI function; null outside MPI. */
LocationReader::Frame *LocationReader::mpi_frame() {
    for (auto frame = stack_.rbegin(); frame != stack_.rend(); ++frame)
        if (is_mpi(frame->kind))
            return &*frame;
    return nullptr;
}

bool LocationReader::in_tools_call() {
    const Frame *frame = mpi_frame();
    return frame && frame->by_tool;
}

int64_t LocationReader::mpi_enter(int64_t fallback) {
    const Frame *frame = mpi_frame();
    return frame ? frame->enter : fallback;
}

paths::SendCall LocationReader::send_call() {
    const Frame *frame = mpi_frame();
    return frame ? region(frame->region).send_call : paths::SendCall::unspecific;
}

int64_t LocationReader::wait_enter(int64_t fallback) {
    polls_.completed = true;
    return polls_.begin != kNull64 && mpi_frame() ? polls_.begin : mpi_enter(fallback);
}

/* Call it when an outermost MPI function is entered, after enter_mpi(). */
void LocationReader::begin_polls(int64_t time, Polling polling) {
    /* Between two polls lie at most 5 us, or this part of the polls before. */
    constexpr int64_t kGapsPerSecond = 200000, kAwakeShare = 8;
    const int64_t gap = std::max(static_cast<int64_t>(definitions_.ticks_per_second) / kGapsPerSecond,
                                 (polls_.end - polls_.begin) / kAwakeShare);
    const bool follows = polls_.begin != kNull64 && !polls_.completed && time - polls_.end <= gap;
    if (!follows || polling == Polling::no)
        polls_ = {polling == Polling::looks ? time : kNull64, computed_in_all_};
}

/* Reads a collective's communicator from its attributes, and its number if that is not counted. */
void LocationReader::read_place(CallRecord &call, const OTF2_AttributeList *attributes) const {
    if (OTF2_AttributeList_GetNumberOfElements(attributes) == 0)
        return;
    OTF2_Type type;
    OTF2_AttributeValue value;
    auto read = [&](OTF2_AttributeRef attribute) {
        return OTF2_AttributeList_TestAttributeByID(attributes, attribute) &&
               OTF2_AttributeList_GetAttributeByID(attributes, attribute, &type, &value) == OTF2_SUCCESS;
    };
    if (read(definitions_.attribute_seq))
        call.seq = type == OTF2_TYPE_UINT32 || type == OTF2_TYPE_INT32 ? value.uint32 : value.int64;
    if (read(definitions_.attribute_comm))
        call.comm = type == OTF2_TYPE_UINT64 || type == OTF2_TYPE_INT64 ? static_cast<OTF2_CommRef>(value.uint64)
                                                                        : value.uint32;
    if (read(definitions_.attribute_function) && type == OTF2_TYPE_REGION) {
        call.region = value.regionRef;
        call.persistent = true;
    }
}

int64_t LocationReader::open_call(CallRecord call) {
    call.first_hop_send = events_.hop_sends.end();
    call.first_hop_receive = events_.hop_receives.end();
    call.first_step = events_.steps.end();
    call.computed_before = computed_in_all_;
    call.open = 1;
    events_.has_mpi = true;
    return events_.calls.push_back(call);
}

void LocationReader::enter_mpi(int64_t time) {
    if (mpi_depth_++ == 0 && left_mpi_ != kNull64)
        computed_in_all_ += time - left_mpi_;
}

void LocationReader::leave_mpi(int64_t time) {
    if (--mpi_depth_ == 0)
        left_mpi_ = time;
}

int64_t LocationReader::take_computed() {
    return computed_in_all_ - std::exchange(computed_before_call_, computed_in_all_);
}

int64_t LocationReader::add_step(int64_t time, RegionKind kind) {
    CallRecord &call = events_.calls[current_call_];
    return call.last_step = events_.steps.push_back({time, kNull64, call.last_step, kind});
}

void LocationReader::enter(int64_t time, OTF2_RegionRef ref, const OTF2_AttributeList *attributes) {
    note_activity(time);
    const RegionKind kind = region(ref).kind;
    const auto depth = static_cast<int32_t>(stack_.size());
    if (!stack_.empty())
        stack_.back().has_inner = true;
    Frame frame;
    frame.region = ref;
    frame.kind = kind;
    frame.enter = time;
    frame.in_mpi = interrupts_computing(kind);
    frame.by_tool = region(ref).by_tool;
    if (frame.in_mpi)
        enter_mpi(time);
    if (is_mpi(kind) && !mpi_frame())
        begin_polls(time, region(ref).polling);
    if (kind == RegionKind::Collective) {
        frame.opened = Opened::Call;
        frame.enclosing_call = current_call_;
        CallRecord call;
        call.enter = time;
        call.region = ref;
        call.depth = depth;
        call.computed = take_computed();
        read_place(call, attributes);
        frame.index = current_call_ = open_call(call);
    } else if (kind == RegionKind::Combine || kind == RegionKind::Copy) {
        if (current_call_ >= 0) {
            frame.opened = Opened::Step;
            frame.index = add_step(time, kind);
        }
    } else if (kind != RegionKind::HopWait) {
        if (kind == RegionKind::OneSided || kind == RegionKind::InputOutput || region(ref).members_create) {
            CallRecord place;
            read_place(place, attributes);
            frame.seq = place.seq;
            frame.comm = place.comm;
        }
        frame.opened = Opened::Interval;
        frame.index = events_.intervals.push_back({time, kNull64, ref, depth});
        events_.has_mpi = events_.has_mpi || is_mpi(kind);
        events_.finalized = events_.finalized || kind == RegionKind::Finalize;
        if (kind == RegionKind::Overhead && current_call_ >= 0)
            frame.overhead_step = add_step(time, kind);
    }
    stack_.push_back(std::move(frame));
}

void LocationReader::end_interval(int64_t index, int64_t time, uint8_t requests) {
    if (index < events_.intervals.begin()) {
        events_.late_ends.push_back({index, time, requests});
        return;
    }
    IntervalRecord &interval = events_.intervals[index];
    interval.end = time;
    interval.requests = requests;
}

void LocationReader::close_frame(int64_t time) {
    const Frame &frame = stack_.back();
    if (frame.opened == Opened::Call) {
        CallRecord &call = events_.calls[frame.index];
        call.leave = time;
        call.open--;
        current_call_ = frame.enclosing_call;
    } else if (frame.opened == Opened::Interval) {
        end_interval(frame.index, time, frame.requests);
    } else if (frame.opened == Opened::Step) {
        events_.steps[frame.index].end = time;
    }
    if (frame.kind == RegionKind::HopWait && !only_thread_)
        events_.hop_waits.push_back({frame.enter, time});
    if (frame.in_mpi)
        leave_mpi(time);
    if (is_mpi(frame.kind))
        polls_.end = time;
    for (const int64_t started : frame.started) {
        events_.calls[started].leave = time;
        events_.calls[started].open--;
    }
    if (frame.overhead_step >= 0)
        events_.steps[frame.overhead_step].end = time;
    if (frame.blocking_send >= 0)
        events_.sends[frame.blocking_send].end = time;
    stack_.pop_back();
}

namespace {

OTF2_StringRef text_in(const OTF2_AttributeList *attributes, OTF2_AttributeRef attribute) {
    OTF2_Type type;
    OTF2_AttributeValue value;
    /* libotf2 prints an error if one asks for an attribute that is not there, so test first. */
    const bool is_text = OTF2_AttributeList_TestAttributeByID(attributes, attribute) &&
                         OTF2_AttributeList_GetAttributeByID(attributes, attribute, &type, &value) == OTF2_SUCCESS &&
                         type == OTF2_TYPE_STRING;
    return is_text ? value.stringRef : OTF2_UNDEFINED_STRING;
}

} // namespace

void LocationReader::leave(int64_t time, OTF2_RegionRef ref, const OTF2_AttributeList *attributes) {
    note_time(time);
    /* A leave without an enter (recording began inside the region) closes nothing. A leave that skips inner regions
     * ends these too, because they cannot outlive the outer region. */
    size_t place = stack_.size();
    while (place > 0 && stack_[place - 1].region != ref)
        place--;
    if (place > 0) {
        while (stack_.size() > place)
            close_frame(time);
        const Frame &frame = stack_.back();
        if (frame.kind == RegionKind::HopWait && !definitions_.requests_tell_waits && last_completion_.time == time) {
            const int64_t index = last_completion_.index;
            if (last_completion_.kind == LastCompletion::HopReceive && index >= events_.hop_receives.begin())
                events_.hop_receives[index].wait_begin = frame.enter;
            else if (last_completion_.kind == LastCompletion::HopSend && index >= events_.hop_sends.begin())
                events_.hop_sends[index].wait_begin = frame.enter;
        }
        if (frame.opened == Opened::Call && OTF2_AttributeList_GetNumberOfElements(attributes) > 0) {
            CallRecord &call = events_.calls[frame.index];
            call.engine = text_in(attributes, definitions_.attribute_engine);
            call.algorithm = text_in(attributes, definitions_.attribute_algorithm);
        }
        close_frame(time);
    }
    last_completion_.kind = LastCompletion::NoHop;
}

/* Turns a call that is no collective of MPI into one: only this event shows that all members make the call. Another
 * tool's archive tells the communicator at the end. */
void LocationReader::collective_begin(int64_t time) {
    note_activity(time);
    if (stack_.empty())
        return;
    Frame &frame = stack_.back();
    const bool may_be_collective = frame.kind == RegionKind::OneSided || frame.kind == RegionKind::InputOutput ||
                                   (region(frame.region).members_create && frame.comm != OTF2_UNDEFINED_COMM);
    if (frame.opened == Opened::Interval && may_be_collective && frame.enter == time)
        become_call(frame);
}

void LocationReader::become_call(Frame &frame) {
    events_.intervals[frame.index].region = OTF2_UNDEFINED_REGION;
    if (!frame.in_mpi)
        enter_mpi(frame.enter);
    frame.in_mpi = true;
    CallRecord call;
    call.enter = frame.enter;
    call.computed = take_computed();
    call.region = frame.region;
    call.depth = static_cast<int32_t>(stack_.size()) - 1;
    call.seq = frame.seq;
    call.comm = frame.comm;
    frame.opened = Opened::Call;
    frame.enclosing_call = current_call_;
    frame.index = current_call_ = open_call(call);
}

void LocationReader::collective_end(int64_t time, uint8_t operation, OTF2_CommRef comm, uint32_t root, uint64_t sent,
                                    uint64_t received) {
    note_activity(time);
    if (stack_.empty())
        return;
    size_t place = stack_.size();
    while (place > 0 && stack_[place - 1].opened != Opened::Call)
        place--;
    Frame &frame = place > 0 ? stack_[place - 1] : stack_.back();
    const bool creates = operation != OTF2_COLLECTIVE_OP_DESTROY_HANDLE && region(frame.region).members_create;
    if (operation >= OTF2_COLLECTIVE_OP_CREATE_HANDLE && !creates)
        return;
    /* The event says that a collective begins, but the region's name is unknown. Only an innermost region without inner
     * regions can be a collective. */
    const bool may_be_collective =
        creates || frame.kind == RegionKind::OtherMpi || (frame.kind == RegionKind::User && !frame.has_inner);
    if (frame.opened == Opened::Interval && may_be_collective)
        become_call(frame);
    if (frame.opened != Opened::Call)
        return;
    CallRecord &call = events_.calls[frame.index];
    call.comm = comm;
    call.root = root;
    call.bytes_sent = size_of(sent);
    call.bytes_received = size_of(received);
    number_hops(call);
}

void LocationReader::collective_request(int64_t time, uint64_t request, const OTF2_AttributeList *attributes) {
    note_activity(time);
    CallRecord place;
    read_place(place, attributes);
    int64_t index = current_call_;
    if (place.persistent) {
        Frame *start = mpi_frame();
        if (!start)
            return;
        place.enter = start->enter;
        place.computed = take_computed();
        place.depth = static_cast<int32_t>(start - stack_.data());
        index = open_call(place);
        start->started.push_back(index);
    } else if (current_call_ < 0) {
        return;
    }
    CallRecord &call = events_.calls[index];
    if (place.seq != kNull64)
        call.seq = place.seq;
    if (place.comm != OTF2_UNDEFINED_COMM)
        call.comm = place.comm;
    call.nonblocking = true;
    call.engine = text_in(attributes, definitions_.attribute_engine);
    number_hops(call);
    call.request = request;
    call.open++;
    events_.open_collectives.set(request, index);
}

void LocationReader::collective_complete(int64_t time, OTF2_CommRef comm, uint32_t root, uint64_t sent,
                                         uint64_t received, uint64_t request) {
    note_activity(time);
    note_requests(kMessages);
    const CollectiveEnd end{request, wait_enter(time), time, comm, root, size_of(sent), size_of(received)};
    const int64_t *call = events_.open_collectives.find(request);
    if (!call) {
        events_.foreign_collectives.push_back(end);
        return;
    }
    CallRecord &record = events_.calls[*call];
    complete_collective(record, end);
    record.overlap = std::max<int64_t>(polls_.computed_before - record.computed_before, 0);
    events_.open_collectives.erase(request);
}

namespace {

/* Reads a number from an event's attributes. False if the event lacks this attribute. */
bool read_number(const OTF2_AttributeList *attributes, OTF2_AttributeRef attribute, uint64_t &number) {
    OTF2_Type type;
    OTF2_AttributeValue value;
    if (!OTF2_AttributeList_TestAttributeByID(attributes, attribute) ||
        OTF2_AttributeList_GetAttributeByID(attributes, attribute, &type, &value) != OTF2_SUCCESS)
        return false;
    number = type == OTF2_TYPE_UINT64 ? value.uint64 : value.uint32;
    return true;
}

} // namespace

void LocationReader::set_recording(int64_t time, bool active, const OTF2_AttributeList *attributes) {
    note_activity(time);
    if (!active && pause_ < 0) {
        pause_ = events_.intervals.push_back({time, kNull64, kOffRegion, static_cast<int32_t>(stack_.size())});
        enter_mpi(time);
    } else if (active && pause_ >= 0) {
        uint64_t number = 0;
        end_interval(pause_, time);
        pause_ = -1;
        leave_mpi(time);
        if (read_number(attributes, definitions_.attribute_gap, number))
            gaps_.push_back({static_cast<uint32_t>(number), time, receive_order_});
    }
}

void LocationReader::parameter(int64_t time, OTF2_ParameterRef parameter, uint64_t value,
                               const OTF2_AttributeList *attributes) {
    note_activity(time);
    const bool sends = parameter == definitions_.parameter_sends;
    if (parameter == OTF2_UNDEFINED_PARAMETER || (!sends && parameter != definitions_.parameter_receives))
        return;
    uint64_t comm = OTF2_UNDEFINED_COMM, peer = 0, tag = 0, request = 0, number = 0;
    read_number(attributes, definitions_.attribute_comm, comm);
    read_number(attributes, definitions_.attribute_peer, peer);
    read_number(attributes, definitions_.attribute_tag, tag);
    const auto its_comm = static_cast<OTF2_CommRef>(comm);
    const auto its_peer = static_cast<uint32_t>(peer), its_tag = static_cast<uint32_t>(tag);
    if (read_number(attributes, definitions_.attribute_request, request)) {
        const OpenReceive *entry = events_.open_receives.find(request);
        if (!entry) {
            events_.foreign_completions.push_back({request, time, time, true, 0, its_comm, its_peer, its_tag, false});
            return;
        }
        const OpenReceive open = *entry;
        if (open.call >= 0)
            events_.calls[open.call].open--;
        events_.receives.push_back(
            {open.post, kNull64, kNull64, 0, open.order, its_comm, its_peer, its_tag, -1, -1, false});
        events_.open_receives.erase(request);
        return;
    }
    SkippedRecord skipped{
        time,   sends ? static_cast<uint64_t>(events_.sends.end()) : receive_order_, value, !sends, its_comm, its_peer,
        its_tag};
    /* A receive that was posted in a gap counts in that gap, even if it ended in a later one. */
    if (!sends && read_number(attributes, definitions_.attribute_gap, number))
        for (const Gap &gap : gaps_)
            if (gap.last >= number) {
                skipped.time = gap.end;
                skipped.place = gap.receives;
                break;
            }
    events_.skipped.push_back(skipped);
}

void LocationReader::look_ahead() {
    Horizon &horizon = events_.horizon;
    /* Later records begin at the last event or later; in an open MPI call, from the enter of the outermost MPI function
     * on, because that is where the call begins. */
    int64_t next = events_.exhausted ? kEver : events_.last;
    if (!events_.exhausted)
        for (const Frame &frame : stack_)
            if (is_mpi(frame.kind)) {
                next = std::min(next, frame.enter);
                break;
            }
    horizon = {next, next, next, next};
    /* The innermost region may turn out to be a collective. */
    if (!events_.exhausted && !stack_.empty() && stack_.back().kind == RegionKind::User && !stack_.back().has_inner)
        horizon.calls = std::min(horizon.calls, stack_.back().enter);
    /* Another thread may complete what is open here, even if this thread has ended. */
    events_.open_collectives.visit_all([&](int64_t call) {
        if (events_.calls[call].comm == OTF2_UNDEFINED_COMM)
            horizon.calls = std::min(horizon.calls, events_.calls[call].enter);
    });
    events_.open_sends.visit_all([&](const OpenSend &open) {
        if (!open.is_hop)
            horizon.sends = std::min(horizon.sends, events_.sends[open.index].begin);
    });
    events_.open_receives.visit_all(
        [&](const OpenReceive &open) { horizon.receives = std::min(horizon.receives, open.post); });
    /* Until the end, a receive may turn out to have been posted in a gap. Such a receive comes before those after the
     * gap. */
    if (!gaps_.empty())
        horizon.receives = std::min(horizon.receives, gaps_.front().end);
    /* A call without a known communicator becomes an interval. */
    horizon.intervals = std::min(horizon.intervals, horizon.calls);
}

} // namespace hopscope
