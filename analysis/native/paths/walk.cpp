// The walks of the critical path.
//
// A walk is at a place: a lane and a time. It goes back to the lane's latest wait, and from there to the lane for which
// it waited. Every step goes to a strictly earlier time, so a walk ends. Every step begins where the previous one
// ended, so stretches are contiguous and add up to the path's length.
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
                                   HopWaits hop_waits, const std::vector<Overhead> *overheads)
    : collectives_(collectives), calls_(calls), lanes_(lanes), hop_waits_(hop_waits), overheads_(overheads) {}

int64_t CollectiveWalker::call_of(size_t collective, int32_t lane) const {
    // A collective's calls are sorted by rank. A rank has only one call in it, on any of its lanes.
    const int32_t *first = calls_.rank.data + collectives_.first_call[collective];
    const int32_t *last = calls_.rank.data + collectives_.first_call[collective + 1];
    const int32_t *member = std::lower_bound(first, last, rank_of(lane));
    return member != last && *member == rank_of(lane) ? member - calls_.rank.data : -1;
}

int64_t CollectiveWalker::end_of_call(size_t call) const {
    int64_t complete = calls_.complete[call];
    return complete != MISSING ? complete : calls_.leave[call];
}

CallContext CollectiveWalker::context_of(size_t call) const {
    const int64_t collective = calls_.collective[call];
    return {collective, collectives_.op[row_of(collective)], calls_.call_site[call]};
}

void CollectiveWalker::add(Backward &stretches, Category category, int32_t lane, int64_t begin, int64_t end,
                           const CallContext &context) const {
    auto push = [&](Category part, int64_t part_begin, int64_t part_end) {
        if (part_begin < part_end)
            stretches.push_back({part_begin, part_end, context.collective, -1, -1, rank_of(lane), -1, -1, context.op,
                                 context.call_site, part});
    };
    const bool is_in_mpi = category != Category::compute && category != Category::unrecorded;
    if (overheads_ && is_in_mpi && begin < end) {
        // The overheads of a lane do not overlap, so their begins are in the order of their ends.
        auto next = std::lower_bound(overheads_->begin(), overheads_->end(), Overhead{lane, end, MISSING});
        if (next != overheads_->end() && next->lane == lane && next->begin < end)
            ++next;
        while (next != overheads_->begin() && (--next)->lane == lane && next->end > begin) {
            const int64_t overhead_begin = std::max(begin, next->begin), overhead_end = std::min(end, next->end);
            push(category, overhead_end, end);
            push(Category::overhead, overhead_begin, overhead_end);
            end = overhead_begin;
        }
    }
    push(category, begin, end);
}

void CollectiveWalker::add_message(Backward &stretches, Category category, const Wait &wait, bool is_hop,
                                   const CallContext &context) const {
    const int32_t rank = rank_of(wait.lane), other_rank = rank_of(wait.other_lane);
    const int32_t src = wait.by_sender ? rank : other_rank, dst = wait.by_sender ? other_rank : rank;
    stretches.push_back({wait.other_time, wait.end, context.collective, is_hop ? wait.message : -1,
                         is_hop ? -1 : wait.message, dst, src, dst, context.op, context.call_site, category});
}

// The last place before t at which a rank let a collective go on. An MPI library works on a nonblocking collective only
// inside of MPI calls: in the call that starts it, and in the wait for it.
Place CollectiveWalker::reached(size_t call, int64_t t) const {
    const bool waits =
        completes_early(calls_, call) && calls_.wait_begin[call] > calls_.leave[call] && calls_.wait_begin[call] < t;
    return {calls_.lane[call], waits ? calls_.wait_begin[call] : calls_.enter[call]};
}

Place CollectiveWalker::last_needed(size_t collective, int64_t call, int64_t t) const {
    auto own_call = static_cast<size_t>(call);
    const int32_t root = collectives_.root_rank[collective];
    const int32_t second_group = collectives_.second_group[collective];
    Leads leads = static_cast<Leads>(collectives_.leads[collective]);
    Place target = reached(own_call, t);
    auto in_second = [&](size_t row) { return calls_.comm_rank[row] >= second_group; };
    for (int64_t i = collectives_.first_call[collective]; i < collectives_.first_call[collective + 1]; i++) {
        auto peer_call = static_cast<size_t>(i);
        bool waited_for = false;
        switch (leads) {
        case Leads::to_last_enter:
            waited_for = true;
            break;
        case Leads::to_root:
            waited_for = calls_.rank[peer_call] == root;
            break;
        case Leads::root_to_last_enter:
            waited_for = calls_.rank[own_call] == root;
            break;
        case Leads::scan:
        case Leads::exscan: // a rank waits only for lower ranks
            waited_for = calls_.comm_rank[peer_call] < calls_.comm_rank[own_call];
            break;
        case Leads::stays:
            break;
        }
        // On an intercommunicator all data comes from the other group.
        waited_for = waited_for && (second_group < 0 || in_second(own_call) != in_second(peer_call));
        if (!waited_for || calls_.enter[peer_call] >= t)
            continue;
        // If several ranks came at the same time, the call's own rank counts, or else the first of them.
        if (const Place place = reached(peer_call, t); place.t > target.t)
            target = place;
    }
    return target;
}

Place CollectiveWalker::last_wait_needed(size_t collective) const {
    const auto leads = static_cast<Leads>(collectives_.leads[collective]);
    if (leads != Leads::to_last_enter && leads != Leads::to_root && leads != Leads::root_to_last_enter)
        return {-1, MISSING};
    std::vector<size_t> waits;
    for (auto i = static_cast<size_t>(collectives_.first_call[collective]);
         i < static_cast<size_t>(collectives_.first_call[collective + 1]); i++)
        if (completes_early(calls_, i))
            waits.push_back(i);
    std::sort(waits.begin(), waits.end(),
              [&](size_t a, size_t b) { return calls_.wait_begin[a] < calls_.wait_begin[b]; });
    Place last{-1, MISSING};
    int64_t waited_until = MISSING; // latest end of the earlier waits of members that need others by the rule
    for (size_t call : waits) {
        const bool is_root = calls_.rank[call] == collectives_.root_rank[collective];
        const int64_t begin = calls_.wait_begin[call];
        if (begin < waited_until && (is_root || leads != Leads::to_root))
            last = {calls_.lane[call], begin};
        if (is_root || leads != Leads::root_to_last_enter)
            waited_until = std::max(waited_until, calls_.complete[call]);
    }
    return last;
}

Place CollectiveWalker::walk_native(Backward &stretches, size_t collective, int64_t call, Place start) const {
    const Place last = last_needed(collective, call, start.t);
    const auto category = static_cast<Category>(collectives_.library[collective]);
    add(stretches, category, start.lane, last.t, start.t, context_of(static_cast<size_t>(call)));
    return last;
}

// The last wait of a rank for a hop of the collective, at a place or before it. call: the rank's call. A rank's hops
// count for the lane of its call, whichever thread saw them.
const Wait *CollectiveWalker::last_wait(size_t collective, int64_t call, Place place) const {
    return hop_waits_.last_before(collective, call < 0 ? place.lane : calls_.lane[static_cast<size_t>(call)], place.t);
}

int64_t CollectiveWalker::end_of_wait(size_t collective, int32_t lane, int64_t t) const {
    const Wait *wait = last_wait(collective, call_of(collective, lane), {lane, t});
    return wait ? wait->end : MISSING;
}

// The last time, at t or before, at which a rank began to work on the collective: the begin of its wait for a
// nonblocking collective, or its enter. If the trace does not have the rank's call, because the rank was killed, it is
// t.
int64_t CollectiveWalker::begin_of_part(int64_t call, int64_t t) const {
    if (call < 0)
        return t;
    const auto row = static_cast<size_t>(call);
    const bool resumed = completes_early(calls_, row) && t > calls_.leave[row];
    return std::min(t, resumed ? calls_.wait_begin[row] : calls_.enter[row]);
}

bool CollectiveWalker::walk_hops(Backward &stretches, size_t collective, Place &place) const {
    const size_t length = stretches.size();
    for (Place current = place;;) {
        const int64_t call = call_of(collective, current.lane);
        const CallContext context{collectives_.first_id + static_cast<int64_t>(collective), collectives_.op[collective],
                                  call < 0 ? -1 : calls_.call_site[static_cast<size_t>(call)]};
        const Wait *wait = last_wait(collective, call, current);
        if (!wait) {
            place = {current.lane, begin_of_part(call, current.t)};
            add(stretches, Category::local, current.lane, place.t, current.t, context);
            return true;
        }
        if (wait->undecided) {
            stretches.resize(length);
            return false;
        }
        add(stretches, Category::local, current.lane, wait->end, current.t, context);
        add_message(stretches, category_of(wait->link), *wait, true, context);
        current = wait->cause();
    }
}

Place CollectiveWalker::walk(Backward &stretches, size_t collective, Place place) const {
    if (!collectives_.has_hops[collective] || !walk_hops(stretches, collective, place))
        return walk_native(stretches, collective, call_of(collective, place.lane), place);
    return place;
}

PooledVector<int64_t> CollectiveWalker::hop_predecessors(const Messages &hops) const {
    PooledVector<int64_t> result(hops.size(), -1);
    std::vector<const Wait *> next(lanes_.size(), nullptr); // per lane: its first wait that ends after the hop's begin
    for (size_t i = 0; i < hops.size(); i++) {
        const size_t collective = row_of(hops.collective[i]);
        const Wait *begin = hop_waits_.waits + hop_waits_.first[collective];
        const Wait *end = hop_waits_.waits + hop_waits_.first[collective + 1];
        if (i == 0 || hops.collective[i] != hops.collective[i - 1])
            for (const Wait *wait = begin; wait != end; ++wait)
                if (wait == begin || wait->lane != (wait - 1)->lane)
                    next[static_cast<size_t>(wait->lane)] = wait;
        const int32_t lane = hops.src_lane[i];
        const Wait *&lane_wait = next[static_cast<size_t>(lane)];
        if (!lane_wait || lane_wait < begin)
            continue; // the lane has no waits in this collective
        while (lane_wait != end && lane_wait->lane == lane && lane_wait->end <= hops.send_begin[i])
            ++lane_wait;
        // The sends of a collective are in time order, or nearly.
        const Wait *wait = lane_wait == begin ? nullptr : lane_wait - 1;
        if (wait && wait->lane == lane && wait->end > hops.send_begin[i])
            wait = hop_waits_.last_before(collective, lane, hops.send_begin[i]);
        if (wait && wait->lane == lane && !wait->undecided)
            result[i] = wait->message;
    }
    return result;
}

PooledVector<int64_t> CollectiveWalker::call_predecessors() const {
    PooledVector<int64_t> result(calls_.size(), -1);
    for (size_t i = 0; i < calls_.size(); i++) {
        int64_t end = end_of_call(i);
        if (end == MISSING) // the trace ends inside the call: take its last wait
            end = std::numeric_limits<int64_t>::max();
        if (const Wait *wait = hop_waits_.last_before(row_of(calls_.collective[i]), calls_.lane[i], end);
            wait && !wait->undecided)
            result[i] = wait->message;
    }
    return result;
}

template <typename Known>
Place CollectiveWalker::begin_of_chain(size_t collective, Place place, const Known &lookup) const {
    for (;;) {
        const int64_t call = call_of(collective, place.lane);
        const Wait *wait = last_wait(collective, call, place);
        if (!wait)
            return {place.lane, begin_of_part(call, place.t)};
        if (wait->undecided)
            return {-1, MISSING};
        if (const Place *begin = lookup(*wait))
            return *begin;
        place = wait->cause();
    }
}

PooledVector<Place> CollectiveWalker::chain_begins() const {
    constexpr Place kUnknown{-1, MISSING}, kNotFollowed{-2, MISSING};
    PooledVector<Place> result(calls_.size(), kUnknown);
    PooledVector<Place> begins; // per wait of the collective: the begin of the chain through it
    std::vector<Place *> ways;  // the entries of `begins` for the waits on one chain
    for (size_t c = 0; c < collectives_.size(); c++) {
        if (!collectives_.has_hops[c]) {
            for (auto i = static_cast<size_t>(collectives_.first_call[c]);
                 i < static_cast<size_t>(collectives_.first_call[c + 1]); i++)
                if (completes_early(calls_, i))
                    result[i] = last_needed(c, static_cast<int64_t>(i), calls_.complete[i]);
            continue;
        }
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

std::vector<size_t> CollectiveWalker::keep_paths(Stretches &stretches) const {
    std::vector<size_t> undecided;
    Backward backward;
    for (size_t c = 0; c < collectives_.size(); c++) {
        const int64_t last = last_to_end(c);
        if (last < 0)
            continue; // no rank left the collective, so there is no end to walk from
        backward.clear();
        walk(backward, c, {calls_.lane[static_cast<size_t>(last)], end_of_call(static_cast<size_t>(last))});
        if (collectives_.has_hops[c] && !backward.empty() && backward.back().category == Category::native)
            undecided.push_back(c);
        keep(stretches, Path::collective, collectives_.first_id + static_cast<int64_t>(c), backward);
    }
    return undecided;
}

void keep(Stretches &stretches, Path path, int64_t path_collective, const Stretch &s, int64_t step) {
    stretches.add(path, path_collective, step, s.rank, s.begin, s.end, s.category, s.collective, s.hop, s.message,
                  s.src, s.dst, s.op, s.call_site);
}

void keep(Stretches &stretches, Path path, int64_t path_collective, const Backward &backward) {
    int64_t step = 0;
    for (auto stretch = backward.rbegin(); stretch != backward.rend(); ++stretch)
        keep(stretches, path, path_collective, *stretch, step++);
}

} // namespace hopscope::paths
