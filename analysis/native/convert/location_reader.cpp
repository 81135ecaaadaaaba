/* The state machine of one location: which regions are open, which requests, which collective. */
#include "location_reader.h"

namespace hopscope {

LocationReader::LocationReader(const Definitions &definitions, const std::unordered_set<OTF2_CommRef> &shadows,
                               LocationEvents &out)
    : definitions_(definitions), shadows_(shadows), out_(out) {}

void LocationReader::seen(int64_t time) {
    /* Strange clock offsets may turn time back, so the first event need not be the earliest. */
    if (out_.first == kNull64 || time < out_.first)
        out_.first = time;
    if (out_.last == kNull64 || time > out_.last)
        out_.last = time;
}

void LocationReader::other(int64_t time) {
    seen(time);
    last_completion_.what = LastCompletion::None;
}

const Region &LocationReader::region(OTF2_RegionRef ref) const {
    static const Region unknown{"unknown region", "", RegionKind::User};
    auto place = definitions_.regions.find(ref);
    return place == definitions_.regions.end() ? unknown : place->second;
}

/* The innermost open MPI function; null outside MPI. */
LocationReader::Frame *LocationReader::mpi_frame() {
    for (auto frame = stack_.rbegin(); frame != stack_.rend(); ++frame)
        if (is_mpi(frame->kind))
            return &*frame;
    return nullptr;
}

int64_t LocationReader::mpi_enter(int64_t otherwise) {
    const Frame *frame = mpi_frame();
    return frame ? frame->enter : otherwise;
}

/* What the trace says of a collective besides its end: its communicator, and its number where that is not counted. */
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

void LocationReader::enter(int64_t time, OTF2_RegionRef ref, const OTF2_AttributeList *attributes) {
    other(time);
    const RegionKind kind = region(ref).kind;
    const auto depth = static_cast<int32_t>(stack_.size());
    Frame frame{ref, kind, Opened::Nothing, 0, time};
    if (kind == RegionKind::Collective) {
        frame.opened = Opened::Call;
        frame.index = static_cast<uint32_t>(out_.calls.size());
        frame.enclosing_call = current_call_;
        CallRecord call;
        call.enter = time;
        call.region = ref;
        call.depth = depth;
        read_place(call, attributes);
        out_.calls.push_back(call);
        current_call_ = static_cast<int32_t>(frame.index);
    } else if (kind == RegionKind::Combine || kind == RegionKind::Copy) {
        if (current_call_ >= 0) {
            frame.opened = Opened::Step;
            frame.index = static_cast<uint32_t>(out_.steps.size());
            out_.steps.push_back({time, kNull64, current_call_, kind});
        }
    } else if (kind != RegionKind::HopWait) {
        frame.opened = Opened::Interval;
        frame.index = static_cast<uint32_t>(out_.intervals.size());
        out_.intervals.push_back({time, kNull64, ref, depth});
        if (kind == RegionKind::Overhead && current_call_ >= 0) {
            frame.overhead_step = static_cast<int32_t>(out_.steps.size());
            out_.steps.push_back({time, kNull64, current_call_, kind});
        }
    }
    stack_.push_back(frame);
}

void LocationReader::close_frame(int64_t time) {
    const Frame &frame = stack_.back();
    if (frame.opened == Opened::Call) {
        out_.calls[frame.index].leave = time;
        current_call_ = frame.enclosing_call;
    } else if (frame.opened == Opened::Interval) {
        out_.intervals[frame.index].end = time;
    } else if (frame.opened == Opened::Step) {
        out_.steps[frame.index].end = time;
    }
    for (uint32_t i = 0; i < frame.started; i++)
        out_.calls[frame.first_started + i].leave = time;
    if (frame.overhead_step >= 0)
        out_.steps[static_cast<size_t>(frame.overhead_step)].end = time;
    if (frame.blocking_send >= 0)
        out_.sends[static_cast<size_t>(frame.blocking_send)].end = time;
    stack_.pop_back();
}

void LocationReader::leave(int64_t time, OTF2_RegionRef ref, const OTF2_AttributeList *attributes) {
    seen(time);
    /* A leave that nothing entered (recording began inside) closes nothing; one that skips inner regions ends them
     * too, because they cannot outlive the outer one. */
    size_t place = stack_.size();
    while (place > 0 && stack_[place - 1].region != ref)
        place--;
    if (place > 0) {
        while (stack_.size() > place)
            close_frame(time);
        const Frame &frame = stack_.back();
        if (frame.kind == RegionKind::HopWait && last_completion_.time == time) {
            if (last_completion_.what == LastCompletion::HopReceive)
                out_.hop_receives[last_completion_.index].wait_begin = frame.enter;
            else if (last_completion_.what == LastCompletion::HopSend)
                out_.hop_sends[last_completion_.index].wait_begin = frame.enter;
        }
        if (frame.opened == Opened::Call && OTF2_AttributeList_GetNumberOfElements(attributes) > 0 &&
            OTF2_AttributeList_TestAttributeByID(attributes, definitions_.attribute_engine)) {
            OTF2_Type type;
            OTF2_AttributeValue value;
            if (OTF2_AttributeList_GetAttributeByID(attributes, definitions_.attribute_engine, &type, &value) ==
                    OTF2_SUCCESS &&
                type == OTF2_TYPE_STRING)
                out_.calls[frame.index].engine = value.stringRef;
        }
        close_frame(time);
    }
    last_completion_.what = LastCompletion::None;
}

void LocationReader::collective_end(int64_t time, uint8_t operation, OTF2_CommRef comm, uint32_t root, uint64_t sent,
                                    uint64_t received) {
    other(time);
    if (operation >= OTF2_COLLECTIVE_OP_CREATE_HANDLE || stack_.empty())
        return; /* making and freeing communicators, windows and files moves no data */
    size_t place = stack_.size();
    while (place > 0 && stack_[place - 1].opened != Opened::Call)
        place--;
    Frame &frame = place > 0 ? stack_[place - 1] : stack_.back();
    /* A collective by the event, in a region of a name that we do not know. */
    if (frame.opened == Opened::Interval && (frame.kind == RegionKind::User || frame.kind == RegionKind::OtherMpi)) {
        out_.intervals[frame.index].region = OTF2_UNDEFINED_REGION;
        CallRecord call;
        call.enter = frame.enter;
        call.region = frame.region;
        call.depth = static_cast<int32_t>(stack_.size()) - 1;
        frame.opened = Opened::Call;
        frame.index = static_cast<uint32_t>(out_.calls.size());
        frame.enclosing_call = current_call_;
        out_.calls.push_back(call);
        current_call_ = static_cast<int32_t>(frame.index);
    }
    if (frame.opened != Opened::Call)
        return;
    CallRecord &call = out_.calls[frame.index];
    call.comm = comm;
    call.root = root;
    call.bytes_sent = static_cast<int64_t>(sent);
    call.bytes_received = static_cast<int64_t>(received);
}

void LocationReader::collective_request(int64_t time, uint64_t request, const OTF2_AttributeList *attributes) {
    other(time);
    CallRecord place;
    read_place(place, attributes);
    if (place.persistent) {
        Frame *start = mpi_frame();
        if (!start)
            return;
        if (start->started++ == 0)
            start->first_started = static_cast<uint32_t>(out_.calls.size());
        place.enter = start->enter;
        place.depth = static_cast<int32_t>(start - stack_.data());
        out_.calls.push_back(place);
    } else if (current_call_ < 0) {
        return;
    }
    const uint32_t index =
        place.persistent ? static_cast<uint32_t>(out_.calls.size()) - 1 : static_cast<uint32_t>(current_call_);
    CallRecord &call = out_.calls[index];
    if (place.seq != kNull64)
        call.seq = place.seq;
    if (place.comm != OTF2_UNDEFINED_COMM)
        call.comm = place.comm;
    call.nonblocking = true;
    call.request = request;
    open_collectives_[request] = index;
}

void LocationReader::collective_complete(int64_t time, OTF2_CommRef comm, uint32_t root, uint64_t sent,
                                         uint64_t received, uint64_t request) {
    other(time);
    const CollectiveEnd end{
        request, mpi_enter(time), time, comm, root, static_cast<int64_t>(sent), static_cast<int64_t>(received)};
    auto place = open_collectives_.find(request);
    if (place == open_collectives_.end()) {
        out_.foreign_collectives.push_back(end);
        return;
    }
    complete_collective(out_.calls[place->second], end);
    open_collectives_.erase(place);
}

void LocationReader::note_shadow(OTF2_CommRef comm) {
    if (current_call_ >= 0)
        out_.calls[static_cast<size_t>(current_call_)].shadow = comm;
}

void LocationReader::send(int64_t time, OTF2_CommRef comm, uint32_t peer, uint32_t tag, uint64_t bytes) {
    other(time);
    Frame *frame = mpi_frame();
    const int64_t begin = frame ? frame->enter : time;
    if (frame)
        frame->blocking_send = static_cast<int32_t>(out_.sends.size());
    out_.sends.push_back({begin, begin, kNull64, static_cast<int64_t>(bytes), comm, peer, tag, current_call_});
}

void LocationReader::send_begin(int64_t time, OTF2_CommRef comm, uint32_t peer, uint32_t tag, uint64_t bytes,
                                uint64_t request) {
    other(time);
    const bool is_hop = shadows_.count(comm) > 0;
    auto &sends = is_hop ? out_.hop_sends : out_.sends;
    open_sends_[request] = {request, static_cast<uint32_t>(sends.size()), is_hop};
    sends.push_back({is_hop ? time : mpi_enter(time), kNull64, kNull64, static_cast<int64_t>(bytes), comm, peer, tag,
                     current_call_});
    if (is_hop)
        note_shadow(comm);
}

void LocationReader::send_complete(int64_t time, uint64_t request) {
    other(time);
    auto place = open_sends_.find(request);
    if (place == open_sends_.end()) {
        out_.foreign_completions.push_back({request, mpi_enter(time), time, false});
        return;
    }
    const OpenSend open = place->second;
    open_sends_.erase(place);
    if (open.is_hop) {
        out_.hop_sends[open.index].end = time;
        last_completion_.what = LastCompletion::HopSend;
        last_completion_.index = open.index;
        last_completion_.time = time;
    } else {
        out_.sends[open.index].wait_begin = mpi_enter(time);
        out_.sends[open.index].end = time;
    }
}

void LocationReader::receive(int64_t time, OTF2_CommRef comm, uint32_t peer, uint32_t tag, uint64_t bytes) {
    other(time);
    const int64_t post = mpi_enter(time);
    out_.receives.push_back(
        {post, post, time, static_cast<int64_t>(bytes), receive_order_++, comm, peer, tag, current_call_});
}

void LocationReader::receive_post(int64_t time, uint64_t request) {
    other(time);
    open_receives_[request] = {request, time, receive_order_++, current_call_};
}

void LocationReader::receive_complete(int64_t time, OTF2_CommRef comm, uint32_t peer, uint32_t tag, uint64_t bytes,
                                      uint64_t request) {
    other(time);
    const bool is_hop = shadows_.count(comm) > 0;
    const auto size = static_cast<int64_t>(bytes);
    auto place = open_receives_.find(request);
    if (place == open_receives_.end()) {
        out_.foreign_completions.push_back({request, mpi_enter(time), time, true, size, comm, peer, tag});
        return;
    }
    const OpenReceive open = place->second;
    open_receives_.erase(place);
    if (is_hop) {
        note_shadow(comm);
        last_completion_.what = LastCompletion::HopReceive;
        last_completion_.index = static_cast<uint32_t>(out_.hop_receives.size());
        last_completion_.time = time;
        out_.hop_receives.push_back({open.post, kNull64, time, size, open.order, comm, peer, tag, open.call});
    } else {
        out_.receives.push_back({open.post, mpi_enter(time), time, size, open.order, comm, peer, tag, open.call});
    }
}

void LocationReader::cancelled(int64_t time, uint64_t request) {
    other(time);
    open_receives_.erase(request);
    auto place = open_sends_.find(request);
    if (place != open_sends_.end()) {
        if (!place->second.is_hop)
            out_.sends[place->second.index].bytes = -1; /* never sent: left out of matching */
        open_sends_.erase(place);
    }
}

namespace {

/* False if the event has no such attribute. */
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

void LocationReader::on_off(int64_t time, bool on, const OTF2_AttributeList *attributes) {
    other(time);
    if (!on && off_ < 0) {
        off_ = static_cast<int32_t>(out_.intervals.size());
        out_.intervals.push_back({time, kNull64, kOffRegion, static_cast<int32_t>(stack_.size())});
    } else if (on && off_ >= 0) {
        uint64_t number = 0;
        out_.intervals[static_cast<size_t>(off_)].end = time;
        off_ = -1;
        if (read_number(attributes, definitions_.attribute_gap, number))
            gaps_.push_back({static_cast<uint32_t>(number), time, receive_order_});
    }
}

void LocationReader::parameter(int64_t time, OTF2_ParameterRef parameter, uint64_t value,
                               const OTF2_AttributeList *attributes) {
    other(time);
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
        auto place = open_receives_.find(request);
        if (place == open_receives_.end()) {
            out_.foreign_completions.push_back({request, time, time, true, 0, its_comm, its_peer, its_tag, false});
            return;
        }
        const OpenReceive &open = place->second;
        out_.receives.push_back(
            {open.post, kNull64, kNull64, 0, open.order, its_comm, its_peer, its_tag, open.call, false});
        open_receives_.erase(place);
        return;
    }
    SkippedRecord skipped{time, sends ? out_.sends.size() : receive_order_, value, !sends, its_comm, its_peer, its_tag};
    /* A receive that was posted in a gap and ended after it, or in a later one, counts where it was posted. */
    if (!sends && read_number(attributes, definitions_.attribute_gap, number))
        for (const Gap &gap : gaps_)
            if (gap.last >= number) {
                skipped.time = gap.end;
                skipped.place = gap.receives;
                break;
            }
    out_.skipped.push_back(skipped);
}

void LocationReader::finish() {
    for (const auto &[request, open] : open_sends_)
        out_.open_sends.push_back(open);
    for (const auto &[request, open] : open_receives_)
        out_.open_receives.push_back(open);
}

} // namespace hopscope
