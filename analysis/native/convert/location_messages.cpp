/* Reads the sends and receives of one location, and finds the calls to which its hops belong. */
#include "location_reader.h"

#include <algorithm>

namespace hopscope {

/* Sets hop_seq, the number by which the tags of the MPI library's hops name a call. The call's communicator must be
 * known. */
void LocationReader::number_hops(CallRecord &call) {
    if (!comms_.has_native())
        return;
    int64_t seq = call.seq;
    if (!call.persistent) {
        const int64_t *next = next_seq_.find(call.comm);
        if (seq == kNull64)
            seq = next ? *next : 0;
        next_seq_.set(call.comm, seq + 1);
    }
    call.hop_seq = static_cast<uint16_t>(hop_seq_bits(static_cast<uint64_t>(seq)));
}

/* The index of the call to which a hop of the MPI library belongs: the open nonblocking call that the hop's tag names,
 * or else the call in which the hop lies. match_hops() later drops the hop if that is the wrong call, because a call's
 * communicator is known only from its end. -1: there is no such call, or it may be a call of another thread. */
int64_t LocationReader::call_of_hop(const Shadow &shadow, uint32_t tag) const {
    if (!only_thread_)
        return -1;
    int64_t call_index = -1;
    events_.open_collectives.visit_all([&](int64_t index) {
        const CallRecord &call = events_.calls[index];
        if (call.comm == shadow.parent && call.hop_seq == hop_seq_of(tag))
            call_index = std::max(call_index, index);
    });
    return call_index >= 0 ? call_index : current_call_;
}

void LocationReader::send(int64_t time, OTF2_CommRef comm, uint32_t peer, uint32_t tag, uint64_t bytes) {
    note_activity(time);
    Frame *frame = mpi_frame();
    if (in_tools_call())
        return;
    const int64_t begin = frame ? frame->enter : time;
    const int64_t index = events_.sends.push_back({begin, begin, kNull64, size_of(bytes), comm, peer, tag});
    events_.sends[index].call = send_call();
    if (frame)
        frame->blocking_send = index;
}

void LocationReader::send_begin(int64_t time, OTF2_CommRef comm, uint32_t peer, uint32_t tag, uint64_t bytes,
                                uint64_t request) {
    note_activity(time);
    const int64_t size = size_of(bytes);
    const Shadow *shadow = comms_.shadow(comm);
    if (!shadow && in_tools_call())
        return;
    if (!shadow) {
        const int64_t index = events_.sends.push_back({mpi_enter(time), kNull64, kNull64, size, comm, peer, tag});
        events_.sends[index].call = send_call();
        events_.open_sends.set(key_of(request), {index, -1, false});
        return;
    }
    const int64_t its_call = shadow->native ? call_of_hop(*shadow, tag) : current_call_;
    if (its_call < 0) {
        if (shadow->native && !only_thread_)
            events_.open_unfiled_sends.set(key_of(request), {time, kNull64, kNull64, size, comm, peer, tag});
        else
            events_.stray_hops++;
        return;
    }
    CallRecord &call = events_.calls[its_call];
    call.shadow = comm;
    call.open++;
    call.last_hop_send =
        events_.hop_sends.push_back({time, kNull64, kNull64, size, comm, peer, tag, -1, call.last_hop_send});
    events_.open_sends.set(key_of(request), {call.last_hop_send, its_call, true});
}

/* Sets the end of a hop's send and the begin of the wait for it. If the rank waited outside any `hop wait` region, the
 * send itself blocked, so the wait began with the send. */
void LocationReader::end_hop(SendRecord &send, uint64_t request, int64_t time) const {
    send.wait_begin = hop_wait_begin(request, send.begin);
    if (send.wait_begin == kNull64 && waited(request))
        send.wait_begin = send.begin;
    send.end = time;
}

void LocationReader::send_complete(int64_t time, uint64_t request) {
    note_activity(time);
    const OpenSend *open_send = events_.open_sends.find(key_of(request));
    if (!open_send) {
        if (SendRecord *unfiled = events_.open_unfiled_sends.find(key_of(request))) {
            end_hop(*unfiled, request, time);
            events_.unfiled_sends.push_back(*unfiled);
            events_.open_unfiled_sends.erase(key_of(request));
            return;
        }
        note_requests(kMessages);
        if (!in_tools_call())
            events_.foreign_completions.push_back({key_of(request), wait_enter(time), time, false});
        return;
    }
    const OpenSend open = *open_send;
    events_.open_sends.erase(key_of(request));
    if (open.is_hop) {
        end_hop(events_.hop_sends[open.index], request, time);
        events_.calls[open.call].open--;
        last_completion_.kind = LastCompletion::HopSend;
        last_completion_.index = open.index;
        last_completion_.time = time;
    } else {
        note_requests(kMessages);
        SendRecord &send = events_.sends[open.index];
        send.wait_begin = wait_enter(time);
        send.end = time;
        if (send.call != paths::SendCall::buffered)
            send.call = send_call();
    }
}

void LocationReader::receive(int64_t time, OTF2_CommRef comm, uint32_t peer, uint32_t tag, uint64_t bytes) {
    note_activity(time);
    if (in_tools_call())
        return;
    events_.receives.push_back(
        {mpi_enter(time), wait_enter(time), time, size_of(bytes), receive_order_++, comm, peer, tag});
}

void LocationReader::receive_post(int64_t time, uint64_t request) {
    note_activity(time);
    if (current_call_ >= 0)
        events_.calls[current_call_].open++;
    events_.open_receives.set(key_of(request), {time, receive_order_++, current_call_});
}

void LocationReader::receive_complete(int64_t time, OTF2_CommRef comm, uint32_t peer, uint32_t tag, uint64_t bytes,
                                      uint64_t request) {
    note_activity(time);
    const Shadow *shadow = comms_.shadow(comm);
    if (!shadow)
        note_requests(kMessages);
    const int64_t size = size_of(bytes);
    const OpenReceive *open_receive = events_.open_receives.find(key_of(request));
    if (!open_receive) {
        const int64_t wait_begin = shadow ? mpi_enter(time) : wait_enter(time);
        events_.foreign_completions.push_back(
            {key_of(request), wait_begin, time, true, size, comm, peer, tag, true, waited(request)});
        return;
    }
    const OpenReceive open = *open_receive;
    events_.open_receives.erase(key_of(request));
    if (open.call >= 0)
        events_.calls[open.call].open--;
    if (!shadow && in_tools_call())
        return;
    if (!shadow) {
        events_.receives.push_back({open.post, wait_enter(time), time, size, open.order, comm, peer, tag});
        return;
    }
    ReceiveRecord receive{open.post, hop_wait_begin(request, open.post), time, size, open.order, comm, peer, tag};
    receive.by_times = waited(request) && receive.wait_begin == kNull64;
    const int64_t its_call = shadow->native ? call_of_hop(*shadow, tag) : open.call;
    if (its_call < 0) {
        if (shadow->native && !only_thread_)
            events_.unfiled_receives.push_back(receive);
        else
            events_.stray_hops++;
        return;
    }
    CallRecord &call = events_.calls[its_call];
    call.shadow = comm;
    call.hop_receives++;
    receive.predecessor = call.last_hop_receive;
    call.last_hop_receive = events_.hop_receives.push_back(receive);
    last_completion_.kind = LastCompletion::HopReceive;
    last_completion_.index = call.last_hop_receive;
    last_completion_.time = time;
}

void LocationReader::transfer_complete(int64_t time, Requests kind) {
    transfer_tested(time, kind);
    polls_.completed = true;
}

void LocationReader::transfer_tested(int64_t time, Requests kind) {
    note_activity(time);
    note_requests(kind);
}

void LocationReader::cancelled(int64_t time, uint64_t request) {
    note_activity(time);
    if (const OpenReceive *receive = events_.open_receives.find(key_of(request))) {
        if (receive->call >= 0)
            events_.calls[receive->call].open--;
        events_.open_receives.erase(key_of(request));
    }
    events_.open_unfiled_sends.erase(key_of(request));
    if (const OpenSend *send = events_.open_sends.find(key_of(request))) {
        if (send->is_hop)
            events_.calls[send->call].open--;
        else
            events_.sends[send->index].bytes = -1; /* it was never sent: matching leaves it out */
        events_.open_sends.erase(key_of(request));
    }
}

} // namespace hopscope
