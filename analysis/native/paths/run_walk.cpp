// Walks from call to call, over all lanes.
#include "run_walk.h"

namespace hopscope::paths {

RunWalker::RunWalker(const History &history)
    : history_(history), collectives_(history.collectives(), history.calls(), history.lanes(), history.hop_waits()) {}

Within RunWalker::within(const Item &item) const {
    const size_t row = item.row();
    if (item.is_call())
        return collectives_.within(row);
    return {-1, history_.intervals().region[row], history_.intervals().call_site[row]};
}

Place RunWalker::walk_interval(Backward &out, const Item &item, Place from) const {
    const Within inside = within(item);
    auto kind = static_cast<IntervalKind>(history_.intervals().kind[item.row()]);
    if (kind != IntervalKind::p2p && kind != IntervalKind::wait) {
        const Category category = kind == IntervalKind::off ? Category::unrecorded : Category::mpi;
        collectives_.add(out, category, from.lane, item.begin, from.t, inside);
        return {from.lane, item.begin};
    }
    const Calls &calls = history_.calls();
    const Wait *wait = history_.message_waits().before(from.lane, from.t);
    const bool bound_by_message = wait && wait->end > item.begin;
    int64_t completed = -1, needed = -1, latest = item.begin;
    // A collective completed here binds if a rank it needed began it after this rank started to wait.
    auto may_bind = [&](int64_t call) {
        const auto row = static_cast<size_t>(call);
        const int64_t candidate =
            collectives_.last_needed(collectives_.row_of(calls.collective[row]), call, calls.complete[row]);
        completed = completed < 0 ? call : completed;
        if (calls.enter[static_cast<size_t>(candidate)] > latest) {
            latest = calls.enter[static_cast<size_t>(candidate)];
            completed = call;
            needed = candidate;
        }
    };
    // One whose messages are known binds if this rank waited for one of them here; the path goes by the last.
    int64_t waited_until = bound_by_message ? wait->end : item.begin, shown = -1, last_waited = -1;
    auto [first, last] = history_.early_returns().completed_by(collectives_.rank_of(from.lane), item.begin);
    for (const EarlyReturns::Completed *it = first; it != last; it++) {
        const auto row = static_cast<size_t>(it->call);
        const size_t collective = collectives_.row_of(calls.collective[row]);
        if (calls.complete[row] > from.t)
            continue;
        if (!history_.collectives().has_hops[collective]) {
            may_bind(it->call);
            continue;
        }
        shown = it->call;
        if (const int64_t end = collectives_.end_of_wait(collective, from.lane, from.t); end > waited_until) {
            waited_until = end;
            last_waited = it->call;
        }
    }
    if (last_waited >= 0) {
        const size_t collective = collectives_.row_of(calls.collective[static_cast<size_t>(last_waited)]);
        if (collectives_.walk_hops(out, collective, from))
            return from;
        may_bind(last_waited);
    }
    if (needed >= 0 && !(bound_by_message && wait->other_time >= latest)) {
        collectives_.add(out, Category::native, from.lane, latest, from.t,
                         collectives_.within(static_cast<size_t>(completed)));
        return {calls.lane[static_cast<size_t>(needed)], latest};
    }
    if (bound_by_message) {
        collectives_.add(out, Category::p2p, from.lane, wait->end, from.t, inside);
        collectives_.add_message(out, Category::p2p, *wait, false, inside);
        return wait->before();
    }
    if (const int64_t ended = completed >= 0 ? completed : shown; ended >= 0) {
        collectives_.add(out, completed >= 0 ? Category::native : Category::local, from.lane, item.begin, from.t,
                         collectives_.within(static_cast<size_t>(ended)));
        return {from.lane, item.begin};
    }
    bool matched = kind == IntervalKind::p2p || history_.completions().within(from.lane, item.begin, from.t);
    collectives_.add(out, matched ? Category::p2p : Category::mpi, from.lane, item.begin, from.t, inside);
    return {from.lane, item.begin};
}

// True if a collective ended for this rank here: in its own call, or in the wait that found it complete.
bool RunWalker::ends_collective(const Item &item) const {
    const size_t row = item.row();
    if (item.is_call())
        return !history_.collectives().returns_early[collectives_.row_of(history_.calls().collective[row])];
    auto [first, last] =
        history_.early_returns().completed_by(collectives_.rank_of(history_.intervals().lane[row]), item.begin);
    return first != last;
}

// A lead also stops at a collective that was complete in the call that began it.
bool RunWalker::ends_lead(const Item &item) const {
    const Calls &calls = history_.calls();
    const size_t row = item.row();
    return ends_collective(item) ||
           (item.is_call() && calls.complete[row] != MISSING && calls.complete[row] <= item.end);
}

Place RunWalker::walk_back(Backward &out, Place at, bool stop_at_collective, size_t enough) const {
    constexpr Place kDone{-1, 0};
    // Computing is inside no call; its call site is that of the call that ended it.
    auto compute = [&](int64_t begin) {
        const Item *item = history_.timeline().before(at.lane, at.t + 1);
        Within ended_by;
        if (item && item->end >= at.t)
            ended_by.call_site = within(*item).call_site;
        collectives_.add(out, Category::compute, at.lane, begin, at.t, ended_by);
    };
    while (out.size() < enough) {
        auto lane = static_cast<size_t>(at.lane);
        const Item *item = history_.timeline().before(at.lane, at.t);
        if (!item) {
            int32_t main_lane = history_.lanes().main_lane[lane];
            if (main_lane != at.lane) { // a thread begins here: the rank's main thread created it
                at.lane = main_lane;
                continue;
            }
            if (int64_t first = history_.lanes().first_event[lane]; first != MISSING)
                compute(first);
            return kDone;
        }
        if (item->end < at.t) {
            compute(item->end);
            at.t = item->end;
            if (stop_at_collective && ends_lead(*item))
                return kDone;
            continue;
        }
        if (stop_at_collective && ends_lead(*item))
            return kDone;
        if (!item->is_call()) {
            at = walk_interval(out, *item, at);
            continue;
        }
        if (!ends_collective(*item)) { // it only began here
            collectives_.add(out, Category::local, at.lane, item->begin, at.t, within(*item));
            at.t = item->begin;
            continue;
        }
        const size_t row = item->row();
        Place reached = collectives_.walk(out, collectives_.row_of(history_.calls().collective[row]), at);
        if (reached.t >= at.t) { // two calls of one rank in one collective: a damaged trace, but the walk must end
            collectives_.add(out, Category::local, at.lane, item->begin, at.t, within(*item));
            reached = {at.lane, item->begin};
        }
        at = reached;
    }
    return at;
}

// Where the backward walk of a lead begins: at the last enter, or where the chain of hops begins that the last to leave
// waited for, if that is later: a rank came late to its wait for a nonblocking collective. Lane -1 if nobody can have
// waited for anybody.
Place RunWalker::last_arrival(size_t collective) const {
    const Column<int64_t> &first_call = history_.collectives().first_call;
    const Calls &calls = history_.calls();
    Place last{-1, MISSING};
    if (first_call[collective + 1] - first_call[collective] < 2)
        return last;
    for (auto i = static_cast<size_t>(first_call[collective]); i < static_cast<size_t>(first_call[collective + 1]); i++)
        if (last.lane < 0 || calls.enter[i] > last.t)
            last = {calls.lane[i], calls.enter[i]};
    const Place begin = collectives_.begin_of_path(collective);
    return begin.lane >= 0 && begin.t > last.t ? begin : last;
}

size_t RunWalker::keep_leads(Stretches &out, size_t first, size_t end, size_t most) const {
    Backward backward;
    size_t leads = 0, trimmed_at = out.size();
    for (size_t c = first; c < end && out.size() < most; first = ++c) {
        if (++leads == kLeadsAtOnce || out.size() - trimmed_at >= kStepsAtOnce) {
            history_.trim();
            leads = 0;
            trimmed_at = out.size();
        }
        const Place last = last_arrival(c);
        if (last.lane < 0)
            continue;
        backward.clear();
        if (walk_back(backward, last, true, most).lane >= 0)
            break;
        keep(out, Path::lead, static_cast<int64_t>(c), backward);
    }
    return first;
}

} // namespace hopscope::paths
