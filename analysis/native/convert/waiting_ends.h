/* Holds sends and receives until their counterpart comes: a first-in-first-out list for each communicator, sender,
 * receiver and tag. */
#pragma once

#include <cstdint>
#include <vector>

namespace hopscope {

struct MessageKey {
    int32_t comm, src, dst;
    uint32_t tag;

    bool operator==(const MessageKey &rhs) const {
        return comm == rhs.comm && src == rhs.src && dst == rhs.dst && tag == rhs.tag;
    }
    size_t hash() const {
        const auto a = static_cast<uint64_t>(static_cast<uint32_t>(src)) << 32 | static_cast<uint32_t>(dst);
        const auto b = static_cast<uint64_t>(static_cast<uint32_t>(comm)) << 32 | tag;
        const uint64_t mixed = (a * 0x9e3779b97f4a7c15u) ^ (b * 0xc2b2ae3d27d4eb4fu);
        return static_cast<size_t>(mixed ^ mixed >> 32);
    }
};

/* Lists of sends, or of receives. All lists share one vector, whose free entries are used again, so that an entry is
 * never moved or allocated by itself. */
template <typename End> class Chains {
  public:
    static constexpr int32_t kNone = -1;

    struct Chain {
        int32_t first = kNone, last = kNone;
        bool empty() const {
            return first == kNone;
        }
    };

    End &front(const Chain &chain) {
        return links_[static_cast<size_t>(chain.first)].end;
    }
    void push_back(Chain &chain, const End &end) {
        int32_t place = kNone;
        if (free_.empty()) {
            place = static_cast<int32_t>(links_.size());
            links_.push_back({end, kNone});
        } else {
            place = free_.back();
            free_.pop_back();
            links_[static_cast<size_t>(place)] = {end, kNone};
        }
        (chain.empty() ? chain.first : links_[static_cast<size_t>(chain.last)].next) = place;
        chain.last = place;
    }
    void pop_front(Chain &chain) {
        const int32_t place = chain.first;
        chain.first = links_[static_cast<size_t>(place)].next;
        free_.push_back(place);
    }
    /* Removes the chain's first entry for which matches(entry) is true, if there is one. */
    template <typename Predicate> void remove(Chain &chain, const Predicate &matches) {
        int32_t previous = kNone, current = chain.first;
        while (current != kNone && !matches(links_[static_cast<size_t>(current)].end)) {
            previous = current;
            current = links_[static_cast<size_t>(current)].next;
        }
        if (current == kNone)
            return;
        if (previous == kNone) {
            pop_front(chain);
            return;
        }
        links_[static_cast<size_t>(previous)].next = links_[static_cast<size_t>(current)].next;
        if (chain.last == current)
            chain.last = previous;
        free_.push_back(current);
    }
    template <typename Visit> void visit_all(const Chain &chain, const Visit &visit) const {
        for (int32_t current = chain.first; current != kNone; current = links_[static_cast<size_t>(current)].next)
            visit(links_[static_cast<size_t>(current)].end);
    }

  private:
    struct Link {
        End end;
        int32_t next;
    };
    std::vector<Link> links_;
    /* Indices of free entries. A list through the free entries themselves would jump through distant memory. */
    std::vector<int32_t> free_;
};

/* A hash table with a value for each key. When it is full, values that are empty() are dropped. */
template <typename Value> class ByKey {
  public:
    /* The value of a key, added if there is none. Valid until the next call. */
    Value &value_of(const MessageKey &key) {
        if (2 * (used_ + 1) > slots_.size())
            make_room();
        size_t place = key.hash() & (slots_.size() - 1);
        while (slots_[place].used && !(slots_[place].key == key))
            place = (place + 1) & (slots_.size() - 1);
        if (!slots_[place].used) {
            slots_[place] = {key, {}, true};
            used_++;
        }
        return slots_[place].value;
    }
    template <typename Visit> void visit_all(const Visit &visit) {
        for (const Slot &slot : slots_)
            if (slot.used)
                visit(slot.value);
    }

  private:
    static constexpr size_t kFewest = 1024;
    struct Slot {
        MessageKey key{};
        Value value{};
        bool used = false;
    };

    void make_room() {
        size_t live = 0;
        for (const Slot &slot : slots_)
            live += slot.used && !slot.value.empty();
        std::vector<Slot> old(kFewest);
        while (old.size() < 4 * (live + 1))
            old.resize(2 * old.size());
        old.swap(slots_);
        used_ = 0;
        for (const Slot &slot : old)
            if (slot.used && !slot.value.empty())
                value_of(slot.key) = slot.value;
    }

    std::vector<Slot> slots_;
    size_t used_ = 0;
};

} // namespace hopscope
