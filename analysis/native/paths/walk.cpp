// The walks of the critical path.
//
// A walk is at a place: a lane and a time. It goes back to the latest thing for which that lane had to wait, and from
// there to the lane that was waited for. Every step goes to a strictly earlier time, so a walk ends. Every step begins
// where the previous one ended, so stretches are contiguous and add up to the path's length.
#include "walk.h"

#include <algorithm>

namespace hopscope::paths {
namespace {

Category category_of(int8_t link) {
    switch (static_cast<link_class>(link)) {
    case LINK_SHM:
        return Category::shm;
    case LINK_LAN:
        return Category::lan;
    case LINK_WAN:
        return Category::wan;
    case LINK_SELF:
    case LINK_CLASS_COUNT:
        break;
    }
    return Category::local;
}

} // namespace

CollectiveWalker::CollectiveWalker(const Collectives &collectives, const Calls &calls, const Lanes &lanes,
                                   HopWaits hop_waits)
    : collectives_(collectives), calls_(calls), lanes_(lanes), hop_waits_(hop_waits) {}

int64_t CollectiveWalker::call_of(size_t collective, int32_t lane) const {
    // A collective's calls are sorted by rank, and a rank is in it once, on whichever of its lanes.
    const int32_t *first = calls_.rank.data + collectives_.first_call[collective];
    const int32_t *last = calls_.rank.data + collectives_.first_call[collective + 1];
    const int32_t *found = std::lower_bound(first, last, rank_of(lane));
    return found != last && *found == rank_of(lane) ? found - calls_.rank.data : -1;
}

int64_t CollectiveWalker::end_of_call(size_t call) const {
    int64_t complete = calls_.complete[call];
    return complete != MISSING ? complete : calls_.leave[call];
}

Within CollectiveWalker::within(size_t call) const {
    const int64_t collective = calls_.collective[call];
    return {collective, collectives_.op[row_of(collective)], calls_.call_site[call]};
}

void CollectiveWalker::add(Backward &out, Category category, int32_t lane, int64_t begin, int64_t end,
                           const Within &within) const {
    if (begin < end)
        out.push_back(
            {begin, end, within.collective, -1, -1, rank_of(lane), -1, -1, within.op, within.call_site, category});
}

void CollectiveWalker::add_message(Backward &out, Category category, const Wait &wait, bool is_hop,
                                   const Within &within) const {
    const int32_t here = rank_of(wait.lane), there = rank_of(wait.other_lane);
    const int32_t src = wait.by_sender ? here : there, dst = wait.by_sender ? there : here;
    out.push_back({wait.other_time, wait.end, within.collective, is_hop ? wait.message : -1, is_hop ? -1 : wait.message,
                   dst, src, dst, within.op, within.call_site, category});
}

int64_t CollectiveWalker::last_needed(size_t collective, int64_t call, int64_t t) const {
    int64_t target = call;
    auto later = [&](int64_t candidate) {
        // Of equals the first in rank order, but stay at the rank itself if possible.
        if (calls_.enter[static_cast<size_t>(candidate)] > calls_.enter[static_cast<size_t>(target)])
            target = candidate;
    };
    auto here = static_cast<size_t>(call);
    const int32_t root = collectives_.root_rank[collective];
    const int32_t second_group = collectives_.second_group[collective];
    Leads leads = static_cast<Leads>(collectives_.leads[collective]);
    auto in_second = [&](size_t row) { return calls_.comm_rank[row] >= second_group; };
    for (int64_t i = collectives_.first_call[collective]; i < collectives_.first_call[collective + 1]; i++) {
        auto there = static_cast<size_t>(i);
        bool waited_for = false;
        switch (leads) {
        case Leads::to_last_enter:
            waited_for = true;
            break;
        case Leads::to_root:
            waited_for = calls_.rank[there] == root;
            break;
        case Leads::root_to_last_enter:
            waited_for = calls_.rank[here] == root;
            break;
        case Leads::scan:
        case Leads::exscan: // below r; otherwise the path stays at r
            waited_for = calls_.comm_rank[there] < calls_.comm_rank[here];
            break;
        case Leads::stays:
            break;
        }
        // On an intercommunicator all data comes from the other group.
        waited_for = waited_for && (second_group < 0 || in_second(here) != in_second(there));
        if (waited_for && calls_.enter[there] < t)
            later(i);
    }
    return target;
}

Place CollectiveWalker::walk_native(Backward &out, size_t collective, int64_t call, Place from) const {
    auto reached = static_cast<size_t>(last_needed(collective, call, from.t));
    add(out, Category::native, from.lane, calls_.enter[reached], from.t, within(static_cast<size_t>(call)));
    return {calls_.lane[reached], calls_.enter[reached]};
}

// The hops of a rank lie on the lane of its call, whichever thread saw them.
const Wait *CollectiveWalker::last_wait(size_t collective, int64_t call, Place at) const {
    return hop_waits_.before(collective, call < 0 ? at.lane : calls_.lane[static_cast<size_t>(call)], at.t);
}

int64_t CollectiveWalker::end_of_wait(size_t collective, int32_t lane, int64_t t) const {
    const Wait *wait = last_wait(collective, call_of(collective, lane), {lane, t});
    return wait ? wait->end : MISSING;
}

// Where the time that a rank spent in its call up to t began. If the rank's call is not in the trace (killed), the path
// ends at its send.
int64_t CollectiveWalker::begin_of_part(int64_t call, int64_t t) const {
    if (call < 0)
        return t;
    const auto its = static_cast<size_t>(call);
    const bool came_back = completes_early(calls_, its) && t > calls_.leave[its];
    return std::min(t, came_back ? calls_.wait_begin[its] : calls_.enter[its]);
}

bool CollectiveWalker::walk_hops(Backward &out, size_t collective, Place &at) const {
    const size_t length = out.size();
    for (Place from = at;;) {
        const int64_t call = call_of(collective, from.lane);
        const Within inside{collectives_.first_id + static_cast<int64_t>(collective), collectives_.op[collective],
                            call < 0 ? -1 : calls_.call_site[static_cast<size_t>(call)]};
        const Wait *wait = last_wait(collective, call, from);
        if (!wait) {
            at = {from.lane, begin_of_part(call, from.t)};
            add(out, Category::local, from.lane, at.t, from.t, inside);
            return true;
        }
        if (wait->undecided) {
            out.resize(length);
            return false;
        }
        add(out, Category::local, from.lane, wait->end, from.t, inside);
        add_message(out, category_of(wait->link), *wait, true, inside);
        from = wait->before();
    }
}

Place CollectiveWalker::walk(Backward &out, size_t collective, Place from) const {
    if (!collectives_.has_hops[collective] || !walk_hops(out, collective, from))
        return walk_native(out, collective, call_of(collective, from.lane), from);
    return from;
}

Kept<int64_t> CollectiveWalker::hop_predecessors(const Messages &hops) const {
    Kept<int64_t> result(hops.size(), -1);
    std::vector<const Wait *> next(lanes_.size(), nullptr); // per lane: the first wait not over yet
    for (size_t i = 0; i < hops.size(); i++) {
        const size_t collective = row_of(hops.collective[i]);
        const Wait *begin = hop_waits_.waits + hop_waits_.first[collective];
        const Wait *end = hop_waits_.waits + hop_waits_.first[collective + 1];
        if (i == 0 || hops.collective[i] != hops.collective[i - 1])
            for (const Wait *wait = begin; wait != end; ++wait)
                if (wait == begin || wait->lane != (wait - 1)->lane)
                    next[static_cast<size_t>(wait->lane)] = wait;
        const int32_t lane = hops.src_lane[i];
        const Wait *&at = next[static_cast<size_t>(lane)];
        if (!at || at < begin)
            continue; // nothing was waited for
        while (at != end && at->lane == lane && at->end <= hops.send_begin[i])
            ++at;
        // The sends of a collective are in time order, or nearly.
        const Wait *wait = at == begin ? nullptr : at - 1;
        if (wait && wait->lane == lane && wait->end > hops.send_begin[i])
            wait = hop_waits_.before(collective, lane, hops.send_begin[i]);
        if (wait && wait->lane == lane && !wait->undecided)
            result[i] = wait->message;
    }
    return result;
}

Kept<int64_t> CollectiveWalker::call_predecessors() const {
    Kept<int64_t> result(calls_.size(), -1);
    for (size_t i = 0; i < calls_.size(); i++) {
        int64_t end = end_of_call(i);
        if (end == MISSING) // the trace ends inside: it counts as last
            end = std::numeric_limits<int64_t>::max();
        if (const Wait *wait = hop_waits_.before(row_of(calls_.collective[i]), calls_.lane[i], end);
            wait && !wait->undecided)
            result[i] = wait->message;
    }
    return result;
}

template <typename Known>
Place CollectiveWalker::begin_of_chain(size_t collective, Place at, const Known &known) const {
    for (;;) {
        const int64_t call = call_of(collective, at.lane);
        const Wait *wait = last_wait(collective, call, at);
        if (!wait)
            return {at.lane, begin_of_part(call, at.t)};
        if (wait->undecided)
            return {-1, MISSING};
        if (const Place *begin = known(*wait))
            return *begin;
        at = wait->before();
    }
}

Kept<Place> CollectiveWalker::chain_begins() const {
    constexpr Place kUnknown{-1, MISSING}, kNotFollowed{-2, MISSING};
    Kept<Place> result(calls_.size(), kUnknown);
    Kept<Place> begins;        // by wait of the collective
    std::vector<Place *> ways; // those of the waits on a chain
    for (size_t c = 0; c < collectives_.size(); c++) {
        if (!collectives_.has_hops[c])
            continue;
        const Wait *first = hop_waits_.waits + hop_waits_.first[c];
        begins.assign(static_cast<size_t>(hop_waits_.first[c + 1] - hop_waits_.first[c]), kNotFollowed);
        for (auto i = static_cast<size_t>(collectives_.first_call[c]);
             i < static_cast<size_t>(collectives_.first_call[c + 1]); i++) {
            const int64_t end = end_of_call(i);
            if (end == MISSING)
                continue;
            ways.clear();
            result[i] = begin_of_chain(c, {calls_.lane[i], end}, [&](const Wait &wait) -> const Place * {
                Place *begin = &begins[static_cast<size_t>(&wait - first)];
                if (begin->lane != kNotFollowed.lane)
                    return begin;
                ways.push_back(begin);
                return nullptr;
            });
            for (Place *begin : ways)
                *begin = result[i];
        }
    }
    return result;
}

int64_t CollectiveWalker::last_to_end(size_t collective) const {
    int64_t last = -1;
    for (int64_t i = collectives_.first_call[collective]; i < collectives_.first_call[collective + 1]; i++)
        if (int64_t end = end_of_call(static_cast<size_t>(i));
            end != MISSING && (last < 0 || end > end_of_call(static_cast<size_t>(last))))
            last = i;
    return last;
}

Place CollectiveWalker::begin_of_path(size_t collective) const {
    const int64_t last = collectives_.has_hops[collective] ? last_to_end(collective) : -1;
    if (last < 0)
        return {-1, MISSING};
    const auto call = static_cast<size_t>(last);
    return begin_of_chain(collective, {calls_.lane[call], end_of_call(call)},
                          [](const Wait &) -> const Place * { return nullptr; });
}

std::vector<size_t> CollectiveWalker::keep_paths(Stretches &out) const {
    std::vector<size_t> undecided;
    Backward backward;
    for (size_t c = 0; c < collectives_.size(); c++) {
        const int64_t last = last_to_end(c);
        if (last < 0)
            continue; // nobody left it: no end to walk from
        backward.clear();
        walk(backward, c, {calls_.lane[static_cast<size_t>(last)], end_of_call(static_cast<size_t>(last))});
        if (collectives_.has_hops[c] && !backward.empty() && backward.back().category == Category::native)
            undecided.push_back(c);
        keep(out, Path::collective, collectives_.first_id + static_cast<int64_t>(c), backward);
    }
    return undecided;
}

void keep(Stretches &out, Path path, int64_t path_collective, const Stretch &s, int64_t step) {
    out.add(path, path_collective, step, s.rank, s.begin, s.end, s.category, s.collective, s.hop, s.message, s.src,
            s.dst, s.op, s.call_site);
}

void keep(Stretches &out, Path path, int64_t path_collective, const Backward &backward) {
    int64_t step = 0;
    for (auto stretch = backward.rbegin(); stretch != backward.rend(); ++stretch)
        keep(out, path, path_collective, *stretch, step++);
}

} // namespace hopscope::paths
