/* Hops: within one collective, the messages of one tag between two ranks match in order. */
#include "hops.h"

#include <algorithm>
#include <tuple>

namespace hopscope {
namespace {

/* What both ends of a hop have in common. */
struct Key {
    OTF2_CommRef shadow;
    int32_t src, dst;
    uint32_t tag;

    bool operator==(const Key &other) const {
        return shadow == other.shadow && src == other.src && dst == other.dst && tag == other.tag;
    }
    size_t hash() const {
        const auto ranks = static_cast<uint64_t>(static_cast<uint32_t>(src)) << 32 | static_cast<uint32_t>(dst);
        const uint64_t mixed = (ranks ^ (static_cast<uint64_t>(tag) << 17 | shadow)) * 0x9e3779b97f4a7c15u;
        return static_cast<size_t>(mixed >> 32);
    }
};

/* One end: the ends of a key that match in order stand in a chain. */
template <typename Record> struct End {
    const Record *record;
    int64_t time;
    uint64_t order;
    size_t location;
    int32_t next;

    bool operator<(const End &other) const {
        return std::tie(time, location, order) < std::tie(other.time, other.location, other.order);
    }
};

/* The ends of one direction in the order in which they match, taken from their chain. */
template <typename Record>
void in_order(const std::vector<End<Record>> &ends, int32_t first, std::vector<End<Record>> &out) {
    out.clear();
    for (int32_t at = first; at >= 0; at = ends[static_cast<size_t>(at)].next)
        out.push_back(ends[static_cast<size_t>(at)]);
    std::sort(out.begin(), out.end());
}

/* Joins ends by key. Its memory is kept from collective to collective. */
class Matcher {
  public:
    void clear() {
        sends_.clear();
        receives_.clear();
        size_t room = kFewest; /* as much as the last one needed: one large collective does not slow the others down */
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
    /* Calls give(key, send, receive, occurrence) for each hop. Returns how many ends are left over. */
    template <typename Give> uint64_t match(const Give &give) {
        uint64_t left_over = 0;
        for (const Pair &pair : pairs_) {
            if (is_one(sends_, pair.first_send) && is_one(receives_, pair.first_receive)) { /* nearly always */
                give(pair.key, sends_[static_cast<size_t>(pair.first_send)],
                     receives_[static_cast<size_t>(pair.first_receive)], 0);
                continue;
            }
            in_order(sends_, pair.first_send, these_sends_);
            in_order(receives_, pair.first_receive, these_receives_);
            const size_t both = std::min(these_sends_.size(), these_receives_.size());
            for (size_t i = 0; i < both; i++)
                give(pair.key, these_sends_[i], these_receives_[i], i);
            left_over += these_sends_.size() + these_receives_.size() - 2 * both;
        }
        return left_over;
    }

  private:
    static constexpr size_t kFewest = 64;
    struct Pair {
        Key key;
        int32_t first_send, first_receive;
    };

    template <typename Record> static bool is_one(const std::vector<End<Record>> &ends, int32_t first) {
        return first >= 0 && ends[static_cast<size_t>(first)].next < 0;
    }
    template <typename Record>
    void add(const Key &key, const End<Record> &end, std::vector<End<Record>> &ends, int32_t Pair::*first) {
        Pair &pair = pairs_[pair_of(key)];
        ends.push_back(end);
        ends.back().next = pair.*first;
        pair.*first = static_cast<int32_t>(ends.size()) - 1;
    }
    /* Open addressing: places_ is never more than half full. */
    size_t pair_of(const Key &key) {
        if (2 * (pairs_.size() + 1) > places_.size())
            grow();
        size_t at = key.hash() & (places_.size() - 1);
        while (places_[at] >= 0 && !(pairs_[static_cast<size_t>(places_[at])].key == key))
            at = (at + 1) & (places_.size() - 1);
        if (places_[at] < 0) {
            places_[at] = static_cast<int32_t>(pairs_.size());
            pairs_.push_back({key, -1, -1});
        }
        return static_cast<size_t>(places_[at]);
    }
    void grow() {
        places_.assign(2 * places_.size(), -1);
        for (size_t i = 0; i < pairs_.size(); i++) {
            size_t at = pairs_[i].key.hash() & (places_.size() - 1);
            while (places_[at] >= 0)
                at = (at + 1) & (places_.size() - 1);
            places_[at] = static_cast<int32_t>(i);
        }
    }

    std::vector<Pair> pairs_;
    std::vector<int32_t> places_; /* of pairs_; -1 where there is none */
    std::vector<End<SendRecord>> sends_, these_sends_;
    std::vector<End<ReceiveRecord>> receives_, these_receives_;
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

/* Sorts hops from `first` on into the order of their rows. */
void sort_hops(Kept<Hop> &hops, size_t first) {
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
        return std::tie(a.src, a.dst, a.phase, a.round, a.segment) <
               std::tie(b.src, b.dst, b.phase, b.round, b.segment);
    });
    for (const auto &[begin, place] : order)
        sorted.push_back(hops[place]);
    std::copy(sorted.begin(), sorted.end(), hops.begin() + static_cast<std::ptrdiff_t>(first));
}

} // namespace

uint64_t match_hops(const Trace &trace, const Collective &collective, Kept<Hop> &out) {
    thread_local Matcher matcher;
    matcher.clear();
    uint64_t unmatched = 0;
    for (const Call &call : collective.calls) {
        const LocationEvents &location = trace.locations[call.location];
        const CallRecord &record = location.calls[call.index];
        for (int64_t i = record.last_hop_send; i >= 0; i = location.hop_sends[i].before) {
            const SendRecord &send = location.hop_sends[i];
            const int32_t peer = peer_of(trace, send, call.rank);
            if (peer >= 0)
                matcher.add({send.comm, call.rank, peer, send.tag},
                            {&send, send.begin, static_cast<uint64_t>(i), call.location, -1});
            else
                unmatched++;
        }
        for (int64_t i = record.last_hop_receive; i >= 0; i = location.hop_receives[i].before) {
            const ReceiveRecord &receive = location.hop_receives[i];
            const int32_t peer = peer_of(trace, receive, call.rank);
            if (peer >= 0)
                matcher.add({receive.comm, peer, call.rank, receive.tag},
                            {&receive, receive.post, receive.order, call.location, -1});
            else
                unmatched++;
        }
    }
    const size_t first = out.size();
    unmatched += matcher.match([&](const Key &key, const auto &send, const auto &receive, size_t occurrence) {
        out.push_back({send.record, receive.record, send.location, receive.location, key.src, key.dst,
                       phase_of(key.tag), static_cast<int32_t>(key.tag >> 2 & 0x3fu),
                       /* the tag has the low 8 bits; hops of one tag come in order, 256 segments apart */
                       static_cast<int32_t>(key.tag >> 8 & 0xffu) + static_cast<int32_t>(occurrence) * 256,
                       trace.comms->shadow(key.shadow)});
    });
    sort_hops(out, first);
    return unmatched;
}

} // namespace hopscope
