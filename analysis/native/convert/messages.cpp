/* Messages do not overtake: among those of one communicator, pair and tag, the n-th send matches the n-th receive,
 * sends in the order of starting, receives in the order of posting. A wildcard receive names its actual source and tag
 * when it completes; it still matches by when it was posted. */
#include "messages.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

namespace hopscope {
namespace {

/* One end of a message; or of a number of messages one after the other that are not recorded. */
struct End {
    int32_t comm, src, dst;
    uint32_t tag;
    int64_t order_time;
    uint64_t order;
    size_t location, index;
    uint64_t count;
    bool recorded;

    auto key() const {
        return std::tie(comm, src, dst, tag);
    }
    auto place() const {
        return std::tie(comm, src, dst, tag, order_time, location, order);
    }
};

/* False if communicator or peer are unknown to the trace. */
template <typename Record>
bool describe(Trace &trace, size_t location, const Record &record, End &end, int32_t &self, int32_t &peer) {
    self = trace.rank_of(trace.locations[location]);
    end.comm = trace.comms->number(record.comm, self);
    if (end.comm < 0)
        return false;
    peer = trace.comms->peer_rank(end.comm, self, record.peer);
    end.tag = record.tag;
    end.location = location;
    end.count = 1;
    end.recorded = true;
    return peer >= 0;
}

/* What is not recorded comes before the recorded one of that place. */
constexpr uint64_t order_of(uint64_t place, bool recorded) {
    return 2 * place + (recorded ? 1 : 0);
}

struct Pair {
    const SendRecord *send;
    const ReceiveRecord *receive;
    const End *at;
    size_t receive_location;
};

std::shared_ptr<Table> messages_table(const Trace &trace, const std::vector<Pair> &pairs) {
    auto table = std::make_shared<Table>();
    auto &id = table->int64("message_id");
    auto &comm = table->int32("comm");
    auto &tag = table->int32("tag");
    auto &src = table->int32("src");
    auto &dst = table->int32("dst");
    auto &src_location = table->int64("src_location");
    auto &dst_location = table->int64("dst_location");
    auto &bytes = table->int64("bytes");
    auto &send_begin = table->int64("send_begin_ns");
    auto &send_wait_begin = table->int64("send_wait_begin_ns", true);
    auto &send_end = table->int64("send_end_ns", true);
    auto &recv_post = table->int64("recv_post_ns");
    auto &recv_wait_begin = table->int64("recv_wait_begin_ns");
    auto &recv_end = table->int64("recv_end_ns");
    auto &link = table->string("link");
    auto &clock_error = table->int64("clock_error_ns");
    auto &binding = table->string("binding");
    for (size_t i = 0; i < pairs.size(); i++) {
        const Pair &pair = pairs[i];
        id.push_back(static_cast<int64_t>(i));
        comm.push_back(pair.at->comm);
        tag.push_back(static_cast<int32_t>(pair.at->tag));
        src.push_back(pair.at->src);
        dst.push_back(pair.at->dst);
        src_location.push_back(static_cast<int64_t>(trace.locations[pair.at->location].location));
        dst_location.push_back(static_cast<int64_t>(trace.locations[pair.receive_location].location));
        bytes.push_back(pair.receive->bytes);
        send_begin.push_back(trace.ns(pair.send->begin));
        send_wait_begin.push_back(trace.ns_or_null(pair.send->wait_begin));
        send_end.push_back(trace.ns_or_null(pair.send->end));
        recv_post.push_back(trace.ns(pair.receive->post));
        recv_wait_begin.push_back(trace.ns(pair.receive->wait_begin));
        recv_end.push_back(trace.ns(pair.receive->end));
        link.add(link_name(trace.ranks->link(pair.at->src, pair.at->dst)));
        clock_error.push_back(trace.span_ns(trace.ranks->clock_error(pair.at->src, pair.at->dst)));
        binding.add("undecided"); /* until hopscope.paths has judged it */
    }
    return table;
}

} // namespace

void join_threads(Trace &trace) {
    std::map<int32_t, std::vector<LocationEvents *>> by_rank;
    for (LocationEvents &location : trace.locations)
        by_rank[trace.rank_of(location)].push_back(&location);
    for (auto &[rank, locations] : by_rank) {
        if (locations.size() < 2)
            continue;
        std::unordered_map<uint64_t, std::pair<LocationEvents *, OpenSend>> sends;
        std::unordered_map<uint64_t, std::pair<LocationEvents *, OpenReceive>> receives;
        for (LocationEvents *location : locations) {
            for (const OpenSend &open : location->open_sends)
                sends.insert({open.request, {location, open}});
            for (const OpenReceive &open : location->open_receives)
                receives.insert({open.request, {location, open}});
        }
        for (LocationEvents *location : locations)
            for (const ForeignCompletion &end : location->foreign_completions) {
                auto send = sends.find(end.request);
                auto receive = receives.find(end.request);
                if (!end.is_receive && send != sends.end() && !send->second.second.is_hop) {
                    SendRecord &record = send->second.first->sends[send->second.second.index];
                    record.wait_begin = end.wait_begin;
                    record.end = end.end;
                } else if (end.is_receive && receive != receives.end()) {
                    const OpenReceive &open = receive->second.second;
                    receive->second.first->receives.push_back({open.post, end.wait_begin, end.end, end.bytes,
                                                               open.order, end.comm, end.peer, end.tag, open.call,
                                                               end.recorded});
                }
            }
    }
}

Messages match_messages(Trace &trace) {
    Messages messages;
    std::vector<End> sends, receives;
    for (size_t l = 0; l < trace.locations.size(); l++) {
        const LocationEvents &location = trace.locations[l];
        for (size_t i = 0; i < location.sends.size(); i++) {
            if (location.sends[i].bytes < 0)
                continue; /* cancelled */
            End end{};
            end.order_time = location.sends[i].begin;
            end.order = order_of(i, true);
            end.index = i;
            if (describe(trace, l, location.sends[i], end, end.src, end.dst))
                sends.push_back(end);
            else
                messages.unmatched_sends++;
        }
        for (size_t i = 0; i < location.receives.size(); i++) {
            End end{};
            end.order_time = location.receives[i].post;
            end.order = order_of(location.receives[i].order, true);
            end.index = i;
            const bool placed = describe(trace, l, location.receives[i], end, end.dst, end.src);
            end.recorded = location.receives[i].recorded;
            if (placed)
                receives.push_back(end);
            else
                messages.unmatched_receives += end.recorded;
        }
        for (const SkippedRecord &skipped : location.skipped) {
            End end{};
            end.order_time = skipped.time;
            end.order = order_of(skipped.place, false);
            if (!describe(trace, l, skipped, end, skipped.receives ? end.dst : end.src,
                          skipped.receives ? end.src : end.dst))
                continue;
            end.count = skipped.count;
            end.recorded = false;
            (skipped.receives ? receives : sends).push_back(end);
        }
    }
    auto earlier = [](const End &a, const End &b) { return a.place() < b.place(); };
    std::sort(sends.begin(), sends.end(), earlier);
    std::sort(receives.begin(), receives.end(), earlier);
    std::vector<Pair> pairs;
    size_t s = 0, r = 0;
    auto drop_send = [&]() { messages.unmatched_sends += sends[s++].recorded; };
    auto drop_receive = [&]() { messages.unmatched_receives += receives[r++].recorded; };
    while (s < sends.size() && r < receives.size()) {
        End &send = sends[s], &receive = receives[r];
        if (send.key() < receive.key()) {
            drop_send();
        } else if (receive.key() < send.key()) {
            drop_receive();
        } else if (send.recorded && receive.recorded) {
            pairs.push_back({&trace.locations[send.location].sends[send.index],
                             &trace.locations[receive.location].receives[receive.index], &send, receive.location});
            s++;
            r++;
        } else { /* they belong together, but one of the two is not in the trace */
            const uint64_t both = std::min(send.count, receive.count);
            send.count -= both;
            receive.count -= both;
            if (send.count == 0)
                drop_send();
            if (receive.count == 0)
                drop_receive();
        }
    }
    while (s < sends.size())
        drop_send();
    while (r < receives.size())
        drop_receive();
    std::stable_sort(pairs.begin(), pairs.end(), [](const Pair &a, const Pair &b) {
        return std::tie(a.send->begin, a.at->src, a.at->location) < std::tie(b.send->begin, b.at->src, b.at->location);
    });
    messages.table = messages_table(trace, pairs);
    return messages;
}

} // namespace hopscope
