/* Hops: within one collective, the messages of one tag between two ranks match in order. */
#include "hops.h"

#include <algorithm>
#include <tuple>

namespace hopscope {
namespace {

struct End {
    int64_t collective;
    OTF2_CommRef shadow;
    int32_t src, dst;
    uint32_t tag;
    int64_t order_time;
    uint64_t order;
    size_t location, index;
    int32_t comm;

    auto key() const {
        return std::tie(collective, shadow, src, dst, tag);
    }
    auto place() const {
        return std::tie(collective, shadow, src, dst, tag, order_time, location, order);
    }
};

/* Tags: schemas/otf2.md. */
Phase phase_of(uint32_t tag) {
    return static_cast<Phase>(std::min<uint32_t>(tag & 3u, 2u));
}

template <typename Record>
bool describe(Trace &trace, const Collectives &collectives, size_t location, const Record &record, End &end,
              int32_t &self, int32_t &peer) {
    if (record.call < 0)
        return false;
    end.collective = collectives.of_call[location][static_cast<size_t>(record.call)];
    if (end.collective < 0)
        return false;
    self = trace.rank_of(trace.locations[location]);
    end.comm = trace.comms->number(record.comm, self);
    if (end.comm < 0)
        return false;
    peer = trace.comms->peer_rank(end.comm, self, record.peer);
    end.shadow = record.comm;
    end.tag = record.tag;
    end.location = location;
    return peer >= 0;
}

} // namespace

Hops match_hops(Trace &trace, const Collectives &collectives) {
    Hops hops;
    std::vector<End> sends, receives;
    for (size_t l = 0; l < trace.locations.size(); l++) {
        const LocationEvents &location = trace.locations[l];
        for (size_t i = 0; i < location.hop_sends.size(); i++) {
            End end{};
            end.order_time = location.hop_sends[i].begin;
            end.order = end.index = i;
            if (describe(trace, collectives, l, location.hop_sends[i], end, end.src, end.dst))
                sends.push_back(end);
            else
                hops.unmatched++;
        }
        for (size_t i = 0; i < location.hop_receives.size(); i++) {
            End end{};
            end.order_time = location.hop_receives[i].post;
            end.order = location.hop_receives[i].order;
            end.index = i;
            if (describe(trace, collectives, l, location.hop_receives[i], end, end.dst, end.src))
                receives.push_back(end);
            else
                hops.unmatched++;
        }
    }
    auto earlier = [](const End &a, const End &b) { return a.place() < b.place(); };
    std::sort(sends.begin(), sends.end(), earlier);
    std::sort(receives.begin(), receives.end(), earlier);
    size_t s = 0, r = 0, occurrence = 0;
    while (s < sends.size() && r < receives.size()) {
        const End &send = sends[s], &receive = receives[r];
        if (send.key() < receive.key()) {
            s++;
            hops.unmatched++;
            continue;
        }
        if (receive.key() < send.key()) {
            r++;
            hops.unmatched++;
            continue;
        }
        occurrence = s > 0 && sends[s - 1].key() == send.key() ? occurrence + 1 : 0;
        const Shadow *shadow = trace.comms->shadow(send.shadow);
        hops.all.push_back(
            {send.collective, &trace.locations[send.location].hop_sends[send.index],
             &trace.locations[receive.location].hop_receives[receive.index], send.location, receive.location, send.src,
             send.dst, send.comm, phase_of(send.tag), static_cast<int32_t>(send.tag >> 2 & 0x3fu),
             /* the tag has the low 8 bits; hops of one tag come in order, 256 segments apart */
             static_cast<int32_t>(send.tag >> 8 & 0xffu) + static_cast<int32_t>(occurrence) * 256, shadow});
        s++;
        r++;
    }
    hops.unmatched += (sends.size() - s) + (receives.size() - r);
    std::sort(hops.all.begin(), hops.all.end(), [](const Hop &a, const Hop &b) {
        return std::make_tuple(a.collective, a.send->begin, a.src, a.dst, a.phase, a.round, a.segment) <
               std::make_tuple(b.collective, b.send->begin, b.src, b.dst, b.phase, b.round, b.segment);
    });
    return hops;
}

std::shared_ptr<Table> hops_table(const Trace &trace, const Hops &hops) {
    static const char *const phases[] = {"up", "down", "exchange"};
    auto table = std::make_shared<Table>();
    auto &id = table->int64("hop_id");
    auto &collective = table->int64("collective_id");
    auto &phase = table->string("phase");
    auto &round = table->int32("round");
    auto &segment = table->int32("segment");
    auto &src = table->int32("src");
    auto &dst = table->int32("dst");
    auto &src_location = table->int64("src_location");
    auto &dst_location = table->int64("dst_location");
    auto &bytes = table->int64("bytes");
    auto &send_begin = table->int64("send_begin_ns");
    auto &send_wait_begin = table->int64("send_wait_begin_ns", true);
    auto &send_end = table->int64("send_end_ns", true);
    auto &recv_post = table->int64("recv_post_ns");
    auto &recv_wait_begin = table->int64("recv_wait_begin_ns", true);
    auto &recv_end = table->int64("recv_end_ns");
    auto &early = table->boolean("arrived_early", true);
    auto &link = table->string("link");
    auto &source = table->string("source");
    auto &clock_error = table->int64("clock_error_ns");
    auto &binding = table->string("binding");
    auto &pred_hop = table->int64("pred_hop_id", true);
    for (size_t i = 0; i < hops.all.size(); i++) {
        const Hop &hop = hops.all[i];
        const bool waited = hop.receive->wait_begin != kNull64;
        id.push_back(static_cast<int64_t>(i));
        collective.push_back(hop.collective);
        phase.add(phases[static_cast<size_t>(hop.phase)]);
        round.push_back(hop.round);
        segment.push_back(hop.segment);
        src.push_back(hop.src);
        dst.push_back(hop.dst);
        src_location.push_back(static_cast<int64_t>(trace.locations[hop.src_location].location));
        dst_location.push_back(static_cast<int64_t>(trace.locations[hop.dst_location].location));
        bytes.push_back(hop.receive->bytes);
        send_begin.push_back(trace.ns(hop.send->begin));
        send_wait_begin.push_back(trace.ns_or_null(hop.send->wait_begin));
        send_end.push_back(trace.ns_or_null(hop.send->end));
        recv_post.push_back(trace.ns(hop.receive->post));
        recv_wait_begin.push_back(trace.ns_or_null(hop.receive->wait_begin));
        recv_end.push_back(trace.ns(hop.receive->end));
        early.push_back(waited ? 0 : hop.shadow->native ? -1 : 1);
        link.add(link_name(trace.ranks->link(hop.src, hop.dst)));
        source.add(hop.shadow->native ? "native" : "tree");
        clock_error.push_back(trace.span_ns(trace.ranks->clock_error(hop.src, hop.dst)));
        binding.add("undecided"); /* until hopscope.paths has judged it */
        pred_hop.push_back(kNull64);
    }
    return table;
}

} // namespace hopscope
