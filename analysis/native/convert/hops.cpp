/* Matches the sends and receives of a collective's hops. If a rank sends several messages with the same tag to another
 * rank, the first send belongs to the first receive, the second send to the second receive, and so on. */
#include "hops.h"

#include <algorithm>
#include <tuple>

namespace hopscope {
namespace {

/* The properties that both ends of a hop have in common. */
struct Key {
    OTF2_CommRef shadow;
    int32_t src, dst;
    uint32_t tag;

    bool operator==(const Key &rhs) const {
        return shadow == rhs.shadow && src == rhs.src && dst == rhs.dst && tag == rhs.tag;
    }
    size_t hash() const {
        const auto ranks = static_cast<uint64_t>(static_cast<uint32_t>(src)) << 32 | static_cast<uint32_t>(dst);
        const uint64_t mixed = (ranks ^ (static_cast<uint64_t>(tag) << 17 | shadow)) * 0x9e3779b97f4a7c15u;
        return static_cast<size_t>(mixed >> 32);
    }
};

/* A send or a receive. `next` is the index of the previously added one with the same key, -1 if there is none. */
template <typename Record> struct End {
    const Record *record;
    int64_t time;
    uint64_t order;
    size_t location;
    int32_t next;

    bool operator<(const End &rhs) const {
        return std::tie(time, location, order) < std::tie(rhs.time, rhs.location, rhs.order);
    }
};

/* Sets `ordered` to the sends (or receives) of one chain in matching order. first: index of the chain's first entry. */
template <typename Record>
void in_order(const std::vector<End<Record>> &ends, int32_t first, std::vector<End<Record>> &ordered) {
    ordered.clear();
    for (int32_t index = first; index >= 0; index = ends[static_cast<size_t>(index)].next)
        ordered.push_back(ends[static_cast<size_t>(index)]);
    std::sort(ordered.begin(), ordered.end());
}

/* Joins sends and receives with equal keys. It is used for one collective after another and keeps its memory. */
class Matcher {
  public:
    void clear() {
        sends_.clear();
        receives_.clear();
        size_t room = kFewest; /* enough for the last collective; small again after a large one, to be cleared fast */
        while (room < 2 * pairs_.size() + 2)
            room *= 2;
        places_.assign(room, -1);
        pairs_.clear();
    }
    void add(const Key &key, const End<SendRecord> &send) {
        add(key, send, sends_, &Pair::first_send);
    }
    void add(const Key &key, const End<ReceiveRecord> &receive) {
        add(key, receive, receives_, &Pair::first_receive);
    }
    /* Calls give(key, send, receive, occurrence) for each hop. occurrence: the number of earlier hops with the same
     * key. Returns the number of sends and receives without a counterpart. */
    template <typename Give> uint64_t match(const Give &give) {
        uint64_t left_over = 0;
        for (const Pair &pair : pairs_) {
            if (is_single(sends_, pair.first_send) && is_single(receives_, pair.first_receive)) { /* the usual case */
                give(pair.key, sends_[static_cast<size_t>(pair.first_send)],
                     receives_[static_cast<size_t>(pair.first_receive)], 0);
                continue;
            }
            in_order(sends_, pair.first_send, these_sends_);
            in_order(receives_, pair.first_receive, these_receives_);
            const size_t pair_count = std::min(these_sends_.size(), these_receives_.size());
            for (size_t i = 0; i < pair_count; i++)
                give(pair.key, these_sends_[i], these_receives_[i], i);
            left_over += these_sends_.size() + these_receives_.size() - 2 * pair_count;
        }
        return left_over;
    }

  private:
    static constexpr size_t kFewest = 64;
    struct Pair {
        Key key;
        int32_t first_send, first_receive;
    };

    template <typename Record> static bool is_single(const std::vector<End<Record>> &ends, int32_t first) {
        return first >= 0 && ends[static_cast<size_t>(first)].next < 0;
    }
    template <typename Record>
    void add(const Key &key, const End<Record> &end, std::vector<End<Record>> &ends, int32_t Pair::*first) {
        Pair &pair = pairs_[pair_of(key)];
        ends.push_back(end);
        ends.back().next = pair.*first;
        pair.*first = static_cast<int32_t>(ends.size()) - 1;
    }
    /* The index in pairs_ of the entry for a key, added if there is none. places_ is a hash table with open addressing,
     * at most half full. */
    size_t pair_of(const Key &key) {
        if (2 * (pairs_.size() + 1) > places_.size())
            grow();
        size_t slot = key.hash() & (places_.size() - 1);
        while (places_[slot] >= 0 && !(pairs_[static_cast<size_t>(places_[slot])].key == key))
            slot = (slot + 1) & (places_.size() - 1);
        if (places_[slot] < 0) {
            places_[slot] = static_cast<int32_t>(pairs_.size());
            pairs_.push_back({key, -1, -1});
        }
        return static_cast<size_t>(places_[slot]);
    }
    void grow() {
        places_.assign(2 * places_.size(), -1);
        for (size_t i = 0; i < pairs_.size(); i++) {
            size_t slot = pairs_[i].key.hash() & (places_.size() - 1);
            while (places_[slot] >= 0)
                slot = (slot + 1) & (places_.size() - 1);
            places_[slot] = static_cast<int32_t>(i);
        }
    }

    std::vector<Pair> pairs_;
    std::vector<int32_t> places_; /* indices into pairs_; -1 if empty */
    std::vector<End<SendRecord>> sends_, these_sends_;
    std::vector<End<ReceiveRecord>> receives_, these_receives_;
};

hop_role role_of(uint32_t tag) {
    return static_cast<hop_role>(std::min<uint32_t>(hop_role_of(tag), ROLE_COUNT - 1));
}

/* The trace-wide rank of a record's peer; -1 if the trace does not define the communicator or the peer. */
template <typename Record> int32_t peer_of(const Trace &trace, const Record &record, int32_t rank) {
    const int32_t comm = trace.comms->number(record.comm, rank);
    return comm < 0 ? -1 : trace.comms->member(comm, record.peer);
}

/* Sorts the hops from index `first` on into the order of the table's rows. */
void sort_hops(PooledVector<Hop> &hops, size_t first) {
    thread_local std::vector<std::pair<int64_t, size_t>> order;
    thread_local std::vector<Hop> sorted;
    order.clear();
    sorted.clear();
    for (size_t h = first; h < hops.size(); h++)
        order.emplace_back(hops[h].send->begin, h);
    std::sort(order.begin(), order.end(), [&](const auto &left, const auto &right) {
        if (left.first != right.first)
            return left.first < right.first;
        const Hop &a = hops[left.second], &b = hops[right.second];
        return std::tie(a.src, a.dst, a.role, a.round, a.segment) < std::tie(b.src, b.dst, b.role, b.round, b.segment);
    });
    for (const auto &[begin, place] : order)
        sorted.push_back(hops[place]);
    std::copy(sorted.begin(), sorted.end(), hops.begin() + static_cast<std::ptrdiff_t>(first));
}

/* Sets `segment` for hops of the MPI library, whose tags do not have it: numbers the hops from each rank to each other
 * rank, in the order of the rows. */
void number_segments(PooledVector<Hop> &hops, size_t first) {
    thread_local std::vector<std::tuple<int32_t, int32_t, size_t>> order;
    order.clear();
    for (size_t h = first; h < hops.size(); h++)
        order.emplace_back(hops[h].src, hops[h].dst, h);
    std::sort(order.begin(), order.end());
    const Hop *previous = nullptr;
    for (const auto &[src, dst, h] : order) {
        Hop &hop = hops[h];
        hop.round = 0;
        hop.segment = previous && previous->src == src && previous->dst == dst ? previous->segment + 1 : 0;
        previous = &hop;
    }
}

/* True if the hop's tag and communicator name this collective. False if the hop was assigned to the call only because
 * the call was open at that time. */
template <typename Record>
bool belongs_to(const Trace &trace, const Record &hop, const Collective &collective, int32_t rank) {
    return hop_seq_of(hop.tag) == hop_seq_bits(static_cast<uint64_t>(collective.seq)) &&
           trace.comms->number(hop.comm, rank) == collective.comm;
}

/* Sets the time at which the rank began to wait for a send or receive of a nonblocking collective; null if it did not
 * wait. The rank waits in the call that completes the collective, such as MPI_Wait. Returns false if the send or
 * receive ended before that call. */
template <typename Record> bool wait_in_completion(Record &end, int64_t begin, const CallRecord &call) {
    const bool can_wait = call.wait_begin == kNull64 || end.end == kNull64 || end.end >= call.wait_begin;
    end.wait_begin = can_wait && call.wait_begin != kNull64 ? std::max(begin, call.wait_begin) : kNull64;
    return can_wait;
}

/* Sets wait_begin of a receive whose end another thread saw: the begin of the wait of the call's own thread in which
 * the receive ended, if there is such a wait. */
void find_wait(ReceiveRecord &receive, const std::vector<HopWait> &waits) {
    auto next = std::upper_bound(waits.begin(), waits.end(), receive.end,
                                 [](int64_t end, const HopWait &wait) { return end < wait.begin; });
    if (next == waits.begin() || (next - 1)->end < receive.end)
        return;
    receive.wait_begin = (next - 1)->begin;
    receive.by_times = false;
}

} // namespace

uint64_t match_hops(Trace &trace, const Collective &collective, PooledVector<Hop> &hops) {
    thread_local Matcher matcher;
    matcher.clear();
    uint64_t unmatched = 0;
    bool any_native = false;
    for (const Call &call : collective.calls) {
        LocationEvents &location = trace.locations[call.location];
        const CallRecord &record = location.calls[call.index];
        const Shadow *shadow = record.shadow == OTF2_UNDEFINED_COMM ? nullptr : trace.comms->shadow(record.shadow);
        const bool native = shadow && shadow->native;
        any_native = any_native || native;
        for (int64_t i = record.last_hop_send; i >= 0; i = location.hop_sends[i].predecessor) {
            SendRecord &send = location.hop_sends[i];
            if (native && record.nonblocking)
                wait_in_completion(send, send.begin, record);
            const int32_t peer =
                native && !belongs_to(trace, send, collective, call.rank) ? -1 : peer_of(trace, send, call.rank);
            if (peer >= 0)
                matcher.add({send.comm, call.rank, peer, send.tag},
                            {&send, send.begin, static_cast<uint64_t>(i), call.location, -1});
            else
                unmatched++;
        }
        for (int64_t i = record.last_hop_receive; i >= 0; i = location.hop_receives[i].predecessor) {
            ReceiveRecord &receive = location.hop_receives[i];
            if (native && record.nonblocking)
                receive.by_times = wait_in_completion(receive, receive.post, record);
            else if (receive.by_times)
                find_wait(receive, location.hop_waits);
            const int32_t peer =
                native && !belongs_to(trace, receive, collective, call.rank) ? -1 : peer_of(trace, receive, call.rank);
            if (peer >= 0)
                matcher.add({receive.comm, peer, call.rank, receive.tag},
                            {&receive, receive.post, receive.order, call.location, -1});
            else
                unmatched++;
        }
    }
    const size_t first = hops.size();
    unmatched += matcher.match([&](const Key &key, const auto &send, const auto &receive, size_t occurrence) {
        hops.push_back({send.record, receive.record, send.location, receive.location, key.src, key.dst,
                        role_of(key.tag), static_cast<int32_t>(hop_round_of(key.tag)),
                        /* The tag has only the segment's lower bits. `occurrence` gives the upper bits, because hops
                         * with the same tag come in the order of their segments. */
                        static_cast<int32_t>(hop_segment_of(key.tag) | occurrence << HOP_SEGMENT_BITS),
                        trace.comms->shadow(key.shadow)});
    });
    sort_hops(hops, first);
    if (any_native)
        number_segments(hops, first);
    return unmatched;
}

} // namespace hopscope
