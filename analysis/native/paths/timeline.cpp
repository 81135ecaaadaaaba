// Sorts items and waits by lane and time, so that a walk finds the last one before a time by bisection.
#include "timeline.h"

#include <algorithm>
#include <tuple>

#include "time_order.h"
#include "with_another.h"

namespace hopscope::paths {
namespace {

// Calls `trim` each time that kBetween values have been touched.
class Trimming {
  public:
    explicit Trimming(std::function<void()> trim) : trim_(std::move(trim)) {}
    void touched(size_t values = 1) {
        touched_ += values;
        if (touched_ >= kBetween) {
            trim_();
            touched_ = 0;
        }
    }

  private:
    static constexpr size_t kBetween = 1u << 18;
    std::function<void()> trim_;
    size_t touched_ = 0;
};

// Sorts the values of each group, which are already sorted or nearly so. Each of two threads sorts every other group.
template <typename T, typename Less> void sort_groups(const Grouped<T> &grouped, const Less &precedes) {
    auto sort_every_other = [&](size_t first_group) {
        Trimming trimming([&] { grouped.trim(); });
        for (size_t group = first_group; group < grouped.groups(); group += 2) {
            sort_nearly(grouped.begin(group), grouped.end(group), precedes);
            trimming.touched(static_cast<size_t>(grouped.end(group) - grouped.begin(group)));
        }
    };
    run_both([&] { sort_every_other(1); }, [&] { sort_every_other(0); });
}

} // namespace

PooledVector<Wait> waits_of(const Messages &m, const BindingResult &bindings) {
    PooledVector<Wait> waits;
    size_t wait_count = 0;
    for (int8_t waited : bindings.waited)
        wait_count += static_cast<size_t>(__builtin_popcount(static_cast<unsigned>(waited)));
    waits.reserve(wait_count);
    for (size_t i = 0; i < m.size(); i++) {
        // If it is undecided whether the receiver waited for a message of the engine, no wait is added, so the path
        // stays at the receiver. For the MPI library's own messages too little is known to do so: an undecided wait is
        // added.
        const bool undecided =
            m.from_engine.size && !m.from_engine[i] && static_cast<Binding>(bindings.binding[i]) == Binding::undecided;
        auto add = [&](bool by_sender, bool stays, int64_t end, int64_t other_time) {
            const int32_t lane = by_sender ? m.src_lane[i] : m.dst_lane[i];
            const int32_t partner = by_sender ? m.dst_lane[i] : m.src_lane[i];
            // Keep only waits for strictly earlier events: two clocks may disagree, and the walk must end.
            if (other_time < end)
                waits.push_back({end, bindings.expected_arrival[i], other_time, m.first_id + static_cast<int64_t>(i),
                                 lane, partner, m.link[i], by_sender, stays, undecided});
        };
        if (undecided)
            add(false, false, m.recv_end[i], std::min(m.send_begin[i], m.recv_end[i] - 1));
        const int8_t waited = bindings.waited[i];
        if (waited & RECEIVER_FOR_SEND)
            add(false, false, m.recv_end[i], m.send_begin[i]);
        // From its post to the begin of its wait, the receiver was busy with its own work.
        if (waited & RECEIVER_FROM_POST)
            add(false, true, m.recv_end[i], std::max(m.recv_post[i], m.recv_wait_begin[i]));
        if (waited & SENDER_FOR_POST)
            add(true, false, m.send_end[i], m.recv_post[i]);
    }
    if (m.collective.size == 0)
        return waits; // messages of the application: MessageWaits sorts their waits
    // Hops are sorted by collective.
    auto collective_of = [&](const Wait &wait) { return m.collective[static_cast<size_t>(wait.message - m.first_id)]; };
    for (auto first = waits.begin(), last = first; first != waits.end(); first = last) {
        const int64_t collective = collective_of(*first);
        last = std::find_if(first, waits.end(), [&](const Wait &wait) { return collective_of(wait) != collective; });
        std::sort(first, last, [](const Wait &a, const Wait &b) {
            return std::tie(a.lane, a.end, a.tie, a.message) < std::tie(b.lane, b.end, b.tie, b.message);
        });
    }
    return waits;
}

std::vector<int64_t> first_waits(const PooledVector<Wait> &waits, const Messages &hops,
                                 const Collectives &collectives) {
    std::vector<int64_t> first(collectives.size() + 1, 0);
    for (const Wait &wait : waits)
        first[static_cast<size_t>(hops.collective[static_cast<size_t>(wait.message - hops.first_id)] -
                                  collectives.first_id) +
              1]++;
    for (size_t c = 0; c < collectives.size(); c++)
        first[c + 1] += first[c];
    return first;
}

const Wait *HopWaits::last_before(size_t collective, int32_t lane, int64_t t) const {
    const Wait *begin = waits + first[collective], *end = waits + first[collective + 1];
    const Wait *next_wait = std::upper_bound(
        begin, end, std::make_pair(lane, t),
        [](const std::pair<int32_t, int64_t> &key, const Wait &w) { return key < std::make_pair(w.lane, w.end); });
    return next_wait != begin && (next_wait - 1)->lane == lane ? next_wait - 1 : nullptr;
}

Timeline::Timeline(const Scratch &scratch, const std::vector<size_t> &counts, const Calls &calls,
                   const Intervals &intervals, const std::function<void()> &trim_inputs)
    : items_(scratch) {
    auto closed = [](int64_t end) { return end == MISSING ? std::numeric_limits<int64_t>::max() : end; };
    Trimming trimming([&] {
        trim_inputs();
        items_.trim();
    });
    items_.fill(counts, [&](const auto &give) {
        // Merge calls and intervals by time, so that sort_groups() finds items nearly in order.
        size_t c = 0;
        auto give_calls = [&](int64_t time_limit) {
            for (; c < calls.size() && calls.enter[c] <= time_limit; c++, trimming.touched())
                give(static_cast<size_t>(calls.lane[c]),
                     {calls.enter[c], closed(calls.leave[c]), static_cast<int64_t>(c)});
        };
        for (size_t i = 0; i < intervals.size(); i++, trimming.touched()) {
            give_calls(intervals.begin[i]);
            if (static_cast<IntervalKind>(intervals.kind[i]) != IntervalKind::region)
                give(static_cast<size_t>(intervals.lane[i]),
                     {intervals.begin[i], closed(intervals.end[i]), ~static_cast<int64_t>(i)});
        }
        give_calls(std::numeric_limits<int64_t>::max());
    });
    sort_groups(items_, [](const Item &a, const Item &b) {
        // If two items begin together, the longer one is the outer one.
        return std::make_tuple(a.begin, b.end, !a.is_call(), a.row()) <
               std::make_tuple(b.begin, a.end, !b.is_call(), b.row());
    });
    for (size_t lane = 0; lane < counts.size(); lane++) {
        Item *target = items_.begin(lane);
        trimming.touched(static_cast<size_t>(items_.end(lane) - target));
        int64_t open_until = std::numeric_limits<int64_t>::min();
        for (const Item *item = items_.begin(lane); item != items_.end(lane); item++) {
            if (item->begin < open_until)
                continue; // nested in another MPI call

            // Do not write an item to its own place: a written page costs more than one that is only read.
            if (target != item)
                *target = *item;
            open_until = target++->end;
        }
        ends_.push_back(target);
    }
}

const Item *Timeline::last_before(int32_t lane, int64_t t) const {
    const Item *first = items_.begin(static_cast<size_t>(lane)), *last = ends_[static_cast<size_t>(lane)];
    const Item *next =
        std::lower_bound(first, last, t, [](const Item &item, int64_t time) { return item.begin < time; });
    return next == first ? nullptr : next - 1;
}

void Timeline::trim() const {
    items_.trim();
}

MessageWaits::MessageWaits(const Scratch &scratch, const std::vector<size_t> &counts, const Column<Wait> &waits,
                           const std::function<void()> &trim_inputs)
    : waits_(scratch) {
    Trimming trimming([&] {
        trim_inputs();
        waits_.trim();
    });
    waits_.fill(counts, [&](const auto &give) {
        for (size_t i = 0; i < waits.size; i++, trimming.touched())
            give(static_cast<size_t>(waits[i].lane), waits[i]);
    });
    sort_groups(waits_, [](const Wait &a, const Wait &b) {
        return std::tie(a.end, a.tie, a.message) < std::tie(b.end, b.tie, b.message);
    });
}

const Wait *MessageWaits::last_before(int32_t lane, int64_t t) const {
    const Wait *first = waits_.begin(static_cast<size_t>(lane)), *last = waits_.end(static_cast<size_t>(lane));
    const Wait *next = std::upper_bound(first, last, t, [](int64_t time, const Wait &wait) { return time < wait.end; });
    return next == first ? nullptr : next - 1;
}

void MessageWaits::trim() const {
    waits_.trim();
}

Completions::Completions(const Scratch &scratch, const std::vector<size_t> &counts,
                         const Column<Completion> &completions, const std::function<void()> &trim_inputs)
    : ends_(scratch) {
    Trimming trimming([&] {
        trim_inputs();
        ends_.trim();
    });
    ends_.fill(counts, [&](const auto &give) {
        for (size_t i = 0; i < completions.size; i++, trimming.touched())
            give(static_cast<size_t>(completions[i].lane), completions[i].time);
    });
    sort_groups(ends_, std::less<int64_t>());
}

bool Completions::contains(int32_t lane, int64_t begin, int64_t end) const {
    const int64_t *last = ends_.end(static_cast<size_t>(lane));
    const int64_t *next = std::upper_bound<const int64_t *>(ends_.begin(static_cast<size_t>(lane)), last, begin);
    return next != last && *next <= end;
}

void Completions::trim() const {
    ends_.trim();
}

EarlyReturns::EarlyReturns(const Scratch &scratch, const std::vector<size_t> &counts, const Calls &calls,
                           const std::function<void()> &trim_inputs)
    : by_lane_(scratch) {
    Trimming trimming([&] {
        trim_inputs();
        by_lane_.trim();
    });
    by_lane_.fill(counts, [&](const auto &give) {
        for (size_t i = 0; i < calls.size(); i++, trimming.touched())
            if (completes_early(calls, i))
                give(static_cast<size_t>(calls.wait_lane[i]),
                     {calls.wait_begin[i], calls.complete[i], static_cast<int64_t>(i)});
    });
    sort_groups(by_lane_, [](const Completed &a, const Completed &b) {
        return std::tie(a.wait_begin, a.complete, a.call) < std::tie(b.wait_begin, b.complete, b.call);
    });
}

std::pair<const EarlyReturns::Completed *, const EarlyReturns::Completed *>
EarlyReturns::waited_for(int32_t lane, int64_t begin) const {
    const auto group = static_cast<size_t>(lane);
    const Completed *first = by_lane_.begin(group), *last = by_lane_.end(group);
    auto is_over = [](const Completed &a, int64_t time) { return a.wait_begin < time && a.complete <= time; };
    auto begins_after = [](int64_t time, const Completed &a) { return time < a.wait_begin; };
    return {std::lower_bound(first, last, begin, is_over), std::upper_bound(first, last, begin, begins_after)};
}

void EarlyReturns::trim() const {
    by_lane_.trim();
}

} // namespace hopscope::paths
