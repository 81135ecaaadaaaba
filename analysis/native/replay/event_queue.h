// A queue of events in the order of their times. Events at the same time come in the order in which they were pushed.
//
// It is a radix heap (R. K. Ahuja, K. Mehlhorn, J. B. Orlin, R. E. Tarjan, "Faster Algorithms for the Shortest Path
// Problem", Journal of the ACM 37, 1990). No event may be earlier than the last one that was taken. An event waits in
// the bucket of the highest bit in which its time differs from that event's time. Times are compared by their bits,
// because doubles that are not negative are ordered like their bits. A bucket with few events is sorted at once instead
// of being divided further.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

namespace hopscope::replay {

// Event: a type with a time `t` that is not negative.
template <typename Event> class EventQueue {
  public:
    bool empty() const {
        return next_.empty() && bucket_mask_ == 0;
    }
    // event.t must not be before the time of the last event that pop() returned.
    void push(const Event &event) {
        const uint64_t key = bits(event.t);
        if (key <= next_until_)
            insert(event);
        else
            place(event, key);
    }
    Event pop() {
        while (next_.empty())
            turn_to_earliest();
        const Event event = next_.back();
        next_.pop_back();
        return event;
    }

  private:
    static constexpr size_t SMALL_BUCKET = 12;

    static uint64_t bits(double t) {
        uint64_t key;
        memcpy(&key, &t, sizeof key);
        return key;
    }
    void insert(const Event &event) {
        size_t i = next_.size();
        next_.push_back(event);
        for (; i > 0 && next_[i - 1].t <= event.t; i--)
            next_[i] = next_[i - 1];
        next_[i] = event;
    }
    void place(const Event &event, uint64_t key) {
        const int bucket = 63 - __builtin_clzll(key ^ base_);
        buckets_[static_cast<size_t>(bucket)].push_back(event);
        bucket_mask_ |= uint64_t{1} << bucket;
    }
    // Empties the lowest bucket, which has the earliest event. Buckets then count from that event's time, so the other
    // events of the bucket belong into lower buckets.
    void turn_to_earliest() {
        const int bucket = __builtin_ctzll(bucket_mask_);
        auto &events = buckets_[static_cast<size_t>(bucket)];
        bucket_mask_ &= bucket_mask_ - 1;
        const uint64_t first = bits(events[0].t) >> bucket << bucket;
        if (events.size() <= SMALL_BUCKET) {
            base_ = first;
            for (const Event &event : events)
                insert(event);
            next_until_ = bits(next_.front().t);
        } else {
            base_ = bits(std::min_element(events.begin(), events.end(), [](auto &a, auto &b) { return a.t < b.t; })->t);
            next_until_ = base_;
            for (const Event &event : events)
                push(event);
        }
        events.clear();
    }

    std::vector<Event> next_;  // sorted events up to the time next_until_; the earliest is the last element
    uint64_t next_until_ = 0;  // the bits of the time up to which next_ has all events
    uint64_t base_ = 0;        // the bits of the time from which buckets count
    uint64_t bucket_mask_ = 0; // bit i: bucket i has events
    std::array<std::vector<Event>, 64> buckets_;
};

} // namespace hopscope::replay
