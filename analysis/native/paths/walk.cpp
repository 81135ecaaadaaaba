// The walks of the critical path (DESIGN: what the analyses mean).
//
// A walk is at a place: a lane and a time. It goes back to the latest thing that lane had to wait for, and from there
// to the lane that was waited for. Every step goes to a strictly earlier time, so a walk ends; every step begins where
// the one before it ended, so its stretches are contiguous and add up to the path's length.
#include "walk.h"

#include <algorithm>

namespace hopscope::paths {
namespace {

Category category_of(Link link) {
    switch (link) {
    case Link::self_:
        return Category::local;
    case Link::shm:
        return Category::shm;
    case Link::lan:
        return Category::lan;
    case Link::wan:
        return Category::wan;
    }
    return Category::local;
}

} // namespace

CollectiveWalker::CollectiveWalker(const Collectives &collectives, const Calls &calls, const Lanes &lanes,
                                   HopWaits hop_waits)
    : collectives_(collectives), calls_(calls), lanes_(lanes), hop_waits_(hop_waits) {}

int64_t CollectiveWalker::call_of(size_t collective, int32_t lane) const {
    // Calls of a collective are sorted by rank; a rank is in it once, whichever of its lanes that was.
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
        // The first of equals in the order of ranks, but never away from the rank itself without need.
        if (calls_.enter[static_cast<size_t>(candidate)] > calls_.enter[static_cast<size_t>(target)])
            target = candidate;
    };
    auto here = static_cast<size_t>(call);
    const int32_t root = collectives_.root_rank[collective];
    Leads leads = static_cast<Leads>(collectives_.leads[collective]);
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
        case Leads::exscan: // below r; r itself is where the path stays otherwise
            waited_for = calls_.comm_rank[there] < calls_.comm_rank[here];
            break;
        case Leads::stays:
            break;
        }
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

Place CollectiveWalker::walk(Backward &out, size_t collective, Place from) const {
    if (!collectives_.has_hops[collective])
        return walk_native(out, collective, call_of(collective, from.lane), from);
    for (;;) {
        const int64_t call = call_of(collective, from.lane);
        const Within inside{collectives_.first_id + static_cast<int64_t>(collective), collectives_.op[collective],
                            call < 0 ? -1 : calls_.call_site[static_cast<size_t>(call)]};
        const Wait *wait = hop_waits_.before(collective, from.lane, from.t);
        if (!wait) {
            // A rank whose call is not in the trace (killed) ends the path at its send.
            int64_t enter = call < 0 ? from.t : std::min(from.t, calls_.enter[static_cast<size_t>(call)]);
            add(out, Category::local, from.lane, enter, from.t, inside);
            return {from.lane, enter};
        }
        add(out, Category::local, from.lane, wait->end, from.t, inside);
        add_message(out, category_of(wait->link), *wait, true, inside);
        from = wait->before();
    }
}

Kept<int64_t> CollectiveWalker::hop_predecessors(const Messages &hops) const {
    Kept<int64_t> result(hops.size(), -1);
    for (size_t i = 0; i < hops.size(); i++)
        if (const Wait *wait = hop_waits_.before(row_of(hops.collective[i]), hops.src_lane[i], hops.send_begin[i]))
            result[i] = wait->message;
    return result;
}

Kept<int64_t> CollectiveWalker::call_predecessors() const {
    Kept<int64_t> result(calls_.size(), -1);
    for (size_t i = 0; i < calls_.size(); i++) {
        int64_t end = end_of_call(i);
        if (end == MISSING) // the trace ends inside: the last of all
            end = std::numeric_limits<int64_t>::max();
        if (const Wait *wait = hop_waits_.before(row_of(calls_.collective[i]), calls_.lane[i], end))
            result[i] = wait->message;
    }
    return result;
}

void CollectiveWalker::keep_paths(Stretches &out) const {
    Backward backward;
    for (size_t c = 0; c < collectives_.size(); c++) {
        int64_t last = -1;
        for (int64_t i = collectives_.first_call[c]; i < collectives_.first_call[c + 1]; i++)
            if (int64_t end = end_of_call(static_cast<size_t>(i));
                end != MISSING && (last < 0 || end > end_of_call(static_cast<size_t>(last))))
                last = i;
        if (last < 0)
            continue; // nobody left it: there is no end to walk from
        backward.clear();
        walk(backward, c, {calls_.lane[static_cast<size_t>(last)], end_of_call(static_cast<size_t>(last))});
        keep(out, Path::collective, collectives_.first_id + static_cast<int64_t>(c), backward);
    }
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
