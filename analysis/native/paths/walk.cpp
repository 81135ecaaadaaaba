// The walks of the critical path (DESIGN: what the analyses mean).
//
// A walk is at a place: a lane and a time. It goes back to the latest thing that lane had to wait for, and from there
// to the lane that was waited for. Every step goes to a strictly earlier time, so a walk ends; every step begins where
// the one before it ended, so its stretches are contiguous and add up to the path's length.
#include "walk.h"

#include <algorithm>

namespace hopscope {
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

Walker::Walker(const Trace &trace, const BindingResult &hops, const BindingResult &messages)
    : trace_(trace), timeline_(trace), hop_waits_(trace.hops, hops.binding, hops.expected_arrival),
      message_waits_(trace.messages, messages.binding, messages.expected_arrival),
      has_hops_(trace.collectives.size(), 0), completions_(trace.messages), early_returns_(trace) {
    for (size_t i = 0; i < trace.hops.size(); i++)
        has_hops_[static_cast<size_t>(trace.hops.collective[i])] = 1;
    for (size_t i = 0; i < trace.calls.size(); i++)
        if (trace.calls.by_tree[i])
            has_hops_[static_cast<size_t>(trace.calls.collective[i])] = 1;
}

int32_t Walker::rank_of(int32_t lane) const {
    return trace_.lanes.rank[static_cast<size_t>(lane)];
}

int64_t Walker::call_of(size_t collective, int32_t lane) const {
    // Calls of a collective are sorted by rank; a rank is in it once, whichever of its lanes that was.
    const Calls &calls = trace_.calls;
    const int32_t *first = calls.rank.data + trace_.collectives.first_call[collective];
    const int32_t *last = calls.rank.data + trace_.collectives.first_call[collective + 1];
    const int32_t *found = std::lower_bound(first, last, rank_of(lane));
    return found != last && *found == rank_of(lane) ? found - calls.rank.data : -1;
}

int64_t Walker::end_of_call(size_t call) const {
    int64_t complete = trace_.calls.complete[call];
    return complete != MISSING ? complete : trace_.calls.leave[call];
}

void Walker::add(Backward &out, Category category, int32_t lane, int64_t begin, int64_t end, Owner owner,
                 int64_t owner_row, int64_t collective) const {
    if (begin < end)
        out.push_back({begin, end, collective, -1, -1, owner_row, rank_of(lane), -1, -1, category, owner});
}

void Walker::add_message(Backward &out, Category category, const Messages &messages, const Wait &wait, bool is_hop,
                         int64_t collective, Owner owner, int64_t owner_row) const {
    auto row = static_cast<size_t>(wait.row);
    int32_t src = rank_of(messages.src_lane[row]), dst = rank_of(messages.dst_lane[row]);
    out.push_back({wait.other_time, wait.end, collective, is_hop ? wait.row : -1, is_hop ? -1 : wait.row, owner_row,
                   dst, src, dst, category, owner});
}

int64_t Walker::last_needed(size_t collective, int64_t call, int64_t t) const {
    const Collectives &collectives = trace_.collectives;
    const Calls &calls = trace_.calls;
    int64_t target = call;
    auto later = [&](int64_t candidate) {
        // The first of equals in the order of ranks, but never away from the rank itself without need.
        if (calls.enter[static_cast<size_t>(candidate)] > calls.enter[static_cast<size_t>(target)])
            target = candidate;
    };
    auto here = static_cast<size_t>(call);
    bool at_root = calls.rank[here] == collectives.root_rank[collective];
    Leads leads = static_cast<Leads>(collectives.leads[collective]);
    for (int64_t i = collectives.first_call[collective]; i < collectives.first_call[collective + 1]; i++) {
        auto there = static_cast<size_t>(i);
        bool waited_for = false;
        switch (leads) {
        case Leads::to_last_enter:
            waited_for = true;
            break;
        case Leads::to_root:
            waited_for = calls.rank[there] == collectives.root_rank[collective];
            break;
        case Leads::root_to_last_enter:
            waited_for = at_root;
            break;
        case Leads::scan:
        case Leads::exscan: // below r; r itself is where the path stays otherwise
            waited_for = calls.comm_rank[there] < calls.comm_rank[here];
            break;
        case Leads::stays:
            break;
        }
        if (waited_for && calls.enter[there] < t)
            later(i);
    }
    return target;
}

Walker::Place Walker::walk_native(Backward &out, size_t collective, int64_t call, Place from) const {
    const Calls &calls = trace_.calls;
    auto reached = static_cast<size_t>(last_needed(collective, call, from.t));
    add(out, Category::native, from.lane, calls.enter[reached], from.t, Owner::call, call,
        static_cast<int64_t>(collective));
    return {calls.lane[reached], calls.enter[reached]};
}

Walker::Place Walker::walk_collective(Backward &out, size_t collective, Place from) const {
    auto number = static_cast<int64_t>(collective);
    if (!has_hops_[collective])
        return walk_native(out, collective, call_of(collective, from.lane), from);
    for (;;) {
        int64_t call = call_of(collective, from.lane);
        Owner owner = call < 0 ? Owner::nothing : Owner::call;
        const Wait *wait = hop_waits_.before(number, from.lane, from.t);
        if (!wait) {
            // A rank whose call is not in the trace (killed) ends the path at its send.
            int64_t enter = call < 0 ? from.t : std::min(from.t, trace_.calls.enter[static_cast<size_t>(call)]);
            add(out, Category::local, from.lane, enter, from.t, owner, call, number);
            return {from.lane, enter};
        }
        add(out, Category::local, from.lane, wait->end, from.t, owner, call, number);
        Link link = static_cast<Link>(trace_.hops.link[static_cast<size_t>(wait->row)]);
        add_message(out, category_of(link), trace_.hops, *wait, true, number, owner, call);
        from = {wait->other_lane, wait->other_time};
    }
}

Walker::Place Walker::walk_interval(Backward &out, const Item &item, Place from) const {
    auto kind = static_cast<IntervalKind>(trace_.intervals.kind[static_cast<size_t>(item.row)]);
    if (kind != IntervalKind::p2p && kind != IntervalKind::wait) {
        Category category = kind == IntervalKind::off ? Category::unrecorded : Category::mpi;
        add(out, category, from.lane, item.begin, from.t, Owner::interval, item.row);
        return {from.lane, item.begin};
    }
    // A collective that was completed here binds if somebody it needed began it after this rank began to wait.
    const Calls &calls = trace_.calls;
    int64_t completed = -1, needed = -1, latest = item.begin;
    auto [first, last] = early_returns_.completed_by(rank_of(from.lane), item.begin);
    for (const int64_t *call = first; call != last; call++) {
        auto row = static_cast<size_t>(*call);
        if (calls.complete[row] > from.t)
            continue;
        int64_t candidate = last_needed(static_cast<size_t>(calls.collective[row]), *call, calls.complete[row]);
        completed = completed < 0 ? *call : completed;
        if (calls.enter[static_cast<size_t>(candidate)] > latest) {
            latest = calls.enter[static_cast<size_t>(candidate)];
            completed = *call;
            needed = candidate;
        }
    }
    const Wait *wait = message_waits_.before(0, from.lane, from.t);
    bool bound_by_message = wait && wait->end > item.begin;
    if (needed >= 0 && !(bound_by_message && wait->other_time >= latest)) {
        add(out, Category::native, from.lane, latest, from.t, Owner::call, completed,
            calls.collective[static_cast<size_t>(completed)]);
        return {calls.lane[static_cast<size_t>(needed)], latest};
    }
    if (bound_by_message) {
        add(out, Category::p2p, from.lane, wait->end, from.t, Owner::interval, item.row);
        add_message(out, Category::p2p, trace_.messages, *wait, false, -1, Owner::interval, item.row);
        return {wait->other_lane, wait->other_time};
    }
    if (completed >= 0) {
        add(out, Category::native, from.lane, item.begin, from.t, Owner::call, completed,
            calls.collective[static_cast<size_t>(completed)]);
        return {from.lane, item.begin};
    }
    bool matched = kind == IntervalKind::p2p || completions_.within(from.lane, item.begin, from.t);
    add(out, matched ? Category::p2p : Category::mpi, from.lane, item.begin, from.t, Owner::interval, item.row);
    return {from.lane, item.begin};
}

// True where a collective was over for this rank: in its own call, or in the wait that found it complete.
bool Walker::ends_collective(const Item &item) const {
    if (item.owner == Owner::call)
        return !trace_.collectives
                    .returns_early[static_cast<size_t>(trace_.calls.collective[static_cast<size_t>(item.row)])];
    auto lane = static_cast<size_t>(trace_.intervals.lane[static_cast<size_t>(item.row)]);
    auto [first, last] = early_returns_.completed_by(trace_.lanes.rank[lane], item.begin);
    return first != last;
}

void Walker::walk_back(Backward &out, Place at, bool stop_at_collective) const {
    // The call that ended the computing before `at`.
    Owner ended_by = Owner::nothing;
    int64_t ended_by_row = -1;
    auto look_up_end = [&]() {
        ended_by = Owner::nothing;
        ended_by_row = -1;
        const Item *item = timeline_.before(at.lane, at.t + 1);
        if (item && item->end >= at.t) {
            ended_by = item->owner;
            ended_by_row = item->row;
        }
    };
    for (;;) {
        auto lane = static_cast<size_t>(at.lane);
        const Item *item = timeline_.before(at.lane, at.t);
        if (!item) {
            int32_t main_lane = trace_.lanes.main_lane[lane];
            if (main_lane != at.lane) { // a thread begins: the rank's main thread made it
                at.lane = main_lane;
                continue;
            }
            int64_t first = trace_.lanes.first_event[lane];
            if (first != MISSING) {
                look_up_end();
                add(out, Category::compute, at.lane, first, at.t, ended_by, ended_by_row);
            }
            return;
        }
        if (item->end < at.t) {
            look_up_end();
            add(out, Category::compute, at.lane, item->end, at.t, ended_by, ended_by_row);
            at.t = item->end;
            if (stop_at_collective && ends_collective(*item))
                return;
            continue;
        }
        if (stop_at_collective && ends_collective(*item))
            return;
        if (item->owner == Owner::interval) {
            at = walk_interval(out, *item, at);
            continue;
        }
        if (!ends_collective(*item)) { // it only began here
            add(out, Category::local, at.lane, item->begin, at.t, Owner::call, item->row,
                trace_.calls.collective[static_cast<size_t>(item->row)]);
            at.t = item->begin;
            continue;
        }
        auto collective = static_cast<size_t>(trace_.calls.collective[static_cast<size_t>(item->row)]);
        Place reached = walk_collective(out, collective, at);
        if (reached.t >= at.t) { // two calls of one rank in one collective: a damaged trace, but the walk has to end
            add(out, Category::local, at.lane, item->begin, at.t, Owner::call, item->row,
                static_cast<int64_t>(collective));
            reached = {at.lane, item->begin};
        }
        at = reached;
    }
}

std::vector<int64_t> Walker::hop_predecessors() const {
    const Messages &hops = trace_.hops;
    std::vector<int64_t> result(hops.size(), -1);
    for (size_t i = 0; i < hops.size(); i++)
        if (const Wait *wait = hop_waits_.before(hops.collective[i], hops.src_lane[i], hops.send_begin[i]))
            result[i] = wait->row;
    return result;
}

std::vector<int64_t> Walker::call_predecessors() const {
    const Calls &calls = trace_.calls;
    std::vector<int64_t> result(calls.size(), -1);
    for (size_t i = 0; i < calls.size(); i++) {
        int64_t end = end_of_call(i);
        if (end == MISSING) // the trace ends inside: the last of all
            end = std::numeric_limits<int64_t>::max();
        if (const Wait *wait = hop_waits_.before(calls.collective[i], calls.lane[i], end))
            result[i] = wait->row;
    }
    return result;
}

void Walker::keep(Stretches &out, Path path, int64_t path_collective, const Backward &backward) {
    int64_t step = 0;
    for (auto s = backward.rbegin(); s != backward.rend(); ++s) {
        out.path.push_back(static_cast<int8_t>(path));
        out.path_collective.push_back(path_collective);
        out.step.push_back(step++);
        out.rank.push_back(s->rank);
        out.begin.push_back(s->begin);
        out.end.push_back(s->end);
        out.category.push_back(static_cast<int8_t>(s->category));
        out.collective.push_back(s->collective);
        out.hop.push_back(s->hop);
        out.message.push_back(s->message);
        out.src.push_back(s->src);
        out.dst.push_back(s->dst);
        out.owner.push_back(static_cast<int8_t>(s->owner));
        out.owner_row.push_back(s->owner_row);
    }
}

void Walker::keep_collective(Stretches &out, size_t collective) const {
    int64_t last = -1;
    for (int64_t i = trace_.collectives.first_call[collective]; i < trace_.collectives.first_call[collective + 1]; i++)
        if (int64_t end = end_of_call(static_cast<size_t>(i));
            end != MISSING && (last < 0 || end > end_of_call(static_cast<size_t>(last))))
            last = i;
    if (last < 0)
        return; // nobody left it: there is no end to walk from
    Backward backward;
    walk_collective(backward, collective,
                    {trace_.calls.lane[static_cast<size_t>(last)], end_of_call(static_cast<size_t>(last))});
    keep(out, Path::collective, static_cast<int64_t>(collective), backward);
}

void Walker::keep_lead(Stretches &out, size_t collective) const {
    int64_t last = -1;
    for (int64_t i = trace_.collectives.first_call[collective]; i < trace_.collectives.first_call[collective + 1]; i++)
        if (last < 0 || trace_.calls.enter[static_cast<size_t>(i)] > trace_.calls.enter[static_cast<size_t>(last)])
            last = i;
    if (last < 0)
        return;
    Backward backward;
    walk_back(backward, {trace_.calls.lane[static_cast<size_t>(last)], trace_.calls.enter[static_cast<size_t>(last)]},
              true);
    keep(out, Path::lead, static_cast<int64_t>(collective), backward);
}

void Walker::keep_run(Stretches &out) const {
    Place from{-1, MISSING};
    const Intervals &intervals = trace_.intervals;
    for (size_t i = 0; i < intervals.size(); i++)
        if (static_cast<IntervalKind>(intervals.kind[i]) == IntervalKind::finalize && intervals.begin[i] > from.t)
            from = {intervals.lane[i], intervals.begin[i]};
    if (from.lane < 0) { // nobody got there: the last thing that is in the trace
        auto later = [&](int32_t lane, int64_t t) {
            if (t != MISSING && t > from.t)
                from = {lane, t};
        };
        for (size_t i = 0; i < intervals.size(); i++) {
            later(intervals.lane[i], intervals.begin[i]);
            later(intervals.lane[i], intervals.end[i]);
        }
        for (size_t i = 0; i < trace_.calls.size(); i++) {
            later(trace_.calls.lane[i], trace_.calls.enter[i]);
            later(trace_.calls.lane[i], trace_.calls.leave[i]);
        }
    }
    if (from.lane < 0)
        return;
    Backward backward;
    walk_back(backward, from, false);
    keep(out, Path::run, -1, backward);
}

Stretches Walker::paths() const {
    Stretches out;
    for (size_t c = 0; c < trace_.collectives.size(); c++)
        keep_collective(out, c);
    for (size_t c = 0; c < trace_.collectives.size(); c++)
        keep_lead(out, c);
    keep_run(out);
    return out;
}

} // namespace hopscope
