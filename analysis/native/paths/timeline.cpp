// Lanes and waits, sorted so that a walk finds what was before a time by bisection.
#include "timeline.h"

#include <algorithm>
#include <tuple>

namespace hopscope {

Timeline::Timeline(const Trace &trace) : offset_(trace.lanes.size() + 1, 0) {
    struct Placed {
        int32_t lane;
        Item item;
    };
    std::vector<Placed> placed;
    placed.reserve(trace.calls.size() + trace.intervals.size());
    auto closed = [](int64_t end) { return end == MISSING ? std::numeric_limits<int64_t>::max() : end; };
    const Calls &calls = trace.calls;
    for (size_t i = 0; i < calls.size(); i++)
        placed.push_back(
            {calls.lane[i], {calls.enter[i], closed(calls.leave[i]), static_cast<int64_t>(i), Owner::call}});
    const Intervals &intervals = trace.intervals;
    for (size_t i = 0; i < intervals.size(); i++)
        if (static_cast<IntervalKind>(intervals.kind[i]) != IntervalKind::region)
            placed.push_back(
                {intervals.lane[i],
                 {intervals.begin[i], closed(intervals.end[i]), static_cast<int64_t>(i), Owner::interval}});
    std::sort(placed.begin(), placed.end(), [](const Placed &a, const Placed &b) {
        // Of two that begin together the longer one is the outer one.
        return std::tie(a.lane, a.item.begin, b.item.end, a.item.owner, a.item.row) <
               std::tie(b.lane, b.item.begin, a.item.end, b.item.owner, b.item.row);
    });
    items_.reserve(placed.size());
    size_t next = 0;
    for (size_t lane = 0; lane < trace.lanes.size(); lane++) {
        offset_[lane] = items_.size();
        int64_t open_until = std::numeric_limits<int64_t>::min();
        for (; next < placed.size() && placed[next].lane == static_cast<int32_t>(lane); next++) {
            if (placed[next].item.begin < open_until)
                continue; // nested in another MPI call
            items_.push_back(placed[next].item);
            open_until = placed[next].item.end;
        }
    }
    offset_[trace.lanes.size()] = items_.size();
}

const Item *Timeline::before(int32_t lane, int64_t t) const {
    const Item *first = items_.data() + offset_[static_cast<size_t>(lane)];
    const Item *last = items_.data() + offset_[static_cast<size_t>(lane) + 1];
    const Item *found = std::lower_bound(first, last, t, [](const Item &item, int64_t at) { return item.begin < at; });
    return found == first ? nullptr : found - 1;
}

Waits::Waits(const Messages &m, const std::vector<int8_t> &binding, const std::vector<int64_t> &tie) {
    for (size_t i = 0; i < m.size(); i++) {
        int64_t group = m.collective.size ? m.collective[i] : 0;
        auto row = static_cast<int64_t>(i);
        Wait wait{};
        switch (static_cast<Binding>(binding[i])) {
        case Binding::recv:
            wait = {group, m.dst_lane[i], m.src_lane[i], m.recv_end[i], tie[i], m.send_begin[i], row};
            break;
        case Binding::send:
            wait = {group, m.src_lane[i], m.dst_lane[i], m.send_end[i], m.recv_post[i], m.recv_post[i], row};
            break;
        case Binding::none:
        case Binding::undecided:
            continue;
        }
        // Only strictly earlier events are followed: two clocks may disagree, and the walk has to end.
        if (wait.other_time < wait.end)
            waits_.push_back(wait);
    }
    std::sort(waits_.begin(), waits_.end(), [](const Wait &a, const Wait &b) {
        return std::tie(a.group, a.lane, a.end, a.tie, a.row) < std::tie(b.group, b.lane, b.end, b.tie, b.row);
    });
}

const Wait *Waits::before(int64_t group, int32_t lane, int64_t t) const {
    auto found = std::upper_bound(waits_.begin(), waits_.end(), std::make_tuple(group, lane, t),
                                  [](const std::tuple<int64_t, int32_t, int64_t> &at, const Wait &wait) {
                                      return at < std::tie(wait.group, wait.lane, wait.end);
                                  });
    if (found == waits_.begin())
        return nullptr;
    --found;
    return found->group == group && found->lane == lane ? &*found : nullptr;
}

Completions::Completions(const Messages &m) {
    ends_.reserve(2 * m.size());
    for (size_t i = 0; i < m.size(); i++) {
        ends_.emplace_back(m.dst_lane[i], m.recv_end[i]);
        if (m.send_end[i] != MISSING)
            ends_.emplace_back(m.src_lane[i], m.send_end[i]);
    }
    std::sort(ends_.begin(), ends_.end());
}

bool Completions::within(int32_t lane, int64_t begin, int64_t end) const {
    auto found = std::upper_bound(ends_.begin(), ends_.end(), std::make_pair(lane, begin));
    return found != ends_.end() && found->first == lane && found->second <= end;
}

EarlyReturns::EarlyReturns(const Trace &trace) {
    const Calls &calls = trace.calls;
    for (size_t i = 0; i < calls.size(); i++)
        if (calls.wait_begin[i] != MISSING && calls.complete[i] != MISSING)
            calls_.push_back(static_cast<int64_t>(i));
    auto key = [&](int64_t call) {
        return std::make_pair(calls.rank[static_cast<size_t>(call)], calls.wait_begin[static_cast<size_t>(call)]);
    };
    std::sort(calls_.begin(), calls_.end(),
              [&](int64_t a, int64_t b) { return std::make_pair(key(a), a) < std::make_pair(key(b), b); });
    keys_.reserve(calls_.size());
    for (int64_t call : calls_)
        keys_.push_back(key(call));
}

std::pair<const int64_t *, const int64_t *> EarlyReturns::completed_by(int32_t rank, int64_t begin) const {
    auto [first, last] = std::equal_range(keys_.begin(), keys_.end(), std::make_pair(rank, begin));
    return {calls_.data() + (first - keys_.begin()), calls_.data() + (last - keys_.begin())};
}

} // namespace hopscope
