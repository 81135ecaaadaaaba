/* Hops: within one collective, the messages of one tag between two ranks match in order. */
#include "hops.h"

#include <algorithm>
#include <tuple>

namespace hopscope {
namespace {

struct End {
    OTF2_CommRef shadow;
    int32_t src, dst;
    uint32_t tag;
    int64_t order_time;
    uint64_t order;
    size_t location;
    const void *record;

    auto key() const {
        return std::tie(src, dst, tag, shadow);
    }
    auto place() const {
        return std::tie(src, dst, tag, shadow, order_time, location, order);
    }
};

/* Tags: schemas/otf2.md. */
Phase phase_of(uint32_t tag) {
    return static_cast<Phase>(std::min<uint32_t>(tag & 3u, 2u));
}

/* The rank at the other end; -1 if communicator or peer are unknown to the trace. */
template <typename Record> int32_t peer_of(const Trace &trace, const Record &record, int32_t rank) {
    const int32_t comm = trace.comms->number(record.comm, rank);
    return comm < 0 ? -1 : trace.comms->peer_rank(comm, rank, record.peer);
}

} // namespace

uint64_t match_hops(const Trace &trace, const Collective &collective, std::vector<Hop> &out) {
    thread_local std::vector<End> sends, receives;
    sends.clear();
    receives.clear();
    uint64_t unmatched = 0;
    for (const Call &call : collective.calls) {
        const LocationEvents &location = trace.locations[call.location];
        const CallRecord &record = location.calls[call.index];
        for (int64_t i = record.last_hop_send; i >= 0; i = location.hop_sends[i].before) {
            const SendRecord &send = location.hop_sends[i];
            const int32_t peer = peer_of(trace, send, call.rank);
            if (peer >= 0)
                sends.push_back(
                    {send.comm, call.rank, peer, send.tag, send.begin, static_cast<uint64_t>(i), call.location, &send});
            else
                unmatched++;
        }
        for (int64_t i = record.last_hop_receive; i >= 0; i = location.hop_receives[i].before) {
            const ReceiveRecord &receive = location.hop_receives[i];
            const int32_t peer = peer_of(trace, receive, call.rank);
            if (peer >= 0)
                receives.push_back(
                    {receive.comm, peer, call.rank, receive.tag, receive.post, receive.order, call.location, &receive});
            else
                unmatched++;
        }
    }
    auto earlier = [](const End &a, const End &b) { return a.place() < b.place(); };
    std::sort(sends.begin(), sends.end(), earlier);
    std::sort(receives.begin(), receives.end(), earlier);
    const size_t first = out.size();
    size_t s = 0, r = 0, occurrence = 0;
    while (s < sends.size() && r < receives.size()) {
        const End &send = sends[s], &receive = receives[r];
        if (send.key() < receive.key()) {
            s++;
            unmatched++;
            continue;
        }
        if (receive.key() < send.key()) {
            r++;
            unmatched++;
            continue;
        }
        occurrence = s > 0 && sends[s - 1].key() == send.key() ? occurrence + 1 : 0;
        out.push_back({static_cast<const SendRecord *>(send.record), static_cast<const ReceiveRecord *>(receive.record),
                       send.location, receive.location, send.src, send.dst, phase_of(send.tag),
                       static_cast<int32_t>(send.tag >> 2 & 0x3fu),
                       /* the tag has the low 8 bits; hops of one tag come in order, 256 segments apart */
                       static_cast<int32_t>(send.tag >> 8 & 0xffu) + static_cast<int32_t>(occurrence) * 256,
                       trace.comms->shadow(send.shadow)});
        s++;
        r++;
    }
    unmatched += (sends.size() - s) + (receives.size() - r);
    std::sort(out.begin() + static_cast<std::ptrdiff_t>(first), out.end(), [](const Hop &a, const Hop &b) {
        return std::tie(a.send->begin, a.src, a.dst, a.phase, a.round, a.segment) <
               std::tie(b.send->begin, b.src, b.dst, b.phase, b.round, b.segment);
    });
    return unmatched;
}

} // namespace hopscope
