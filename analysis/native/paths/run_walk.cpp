// Walks back from call to call, over all lanes.
#include "run_walk.h"

#include <algorithm>

namespace hopscope::paths {

RunWalker::RunWalker(const History &history)
    : history_(history),
      collectives_(history.collectives(), history.calls(), history.lanes(), history.hop_waits(), &history.overheads()) {
}

CallContext RunWalker::context_of(const Item &item) const {
    const size_t row = item.row();
    if (item.is_call())
        return collectives_.context_of(row);
    return {-1, history_.intervals().region[row], history_.intervals().call_site[row]};
}

Place RunWalker::walk_interval(Backward &stretches, const Item &item, Place start) const {
    const CallContext context = context_of(item);
    auto kind = static_cast<IntervalKind>(history_.intervals().kind[item.row()]);
    const Wait *wait = history_.message_waits().last_before(start.lane, start.t);
    const bool bound_by_message = wait && wait->end > item.begin;
    auto follow_message = [&](Category category) {
        collectives_.add(stretches, category, start.lane, wait->end, start.t, context);
        collectives_.add_message(stretches, category, *wait, false, context);
        return wait->cause();
    };
    if (kind == IntervalKind::rma && bound_by_message) // a rank's one-sided epoch waited for another rank
        return follow_message(Category::rma);
    if (!may_wait_for_message(kind)) {
        collectives_.add(stretches, category_of(kind), start.lane, item.begin, start.t, context);
        return {start.lane, item.begin};
    }
    const Calls &calls = history_.calls();
    const auto [first, last] = history_.early_returns().waited_for(start.lane, item.begin);
    // If this call is one of a row of polls, the rank has waited since the first of them.
    const int64_t wait_begin = first == last ? item.begin : std::min(item.begin, first->wait_begin);
    int64_t completed = -1;
    Place required{-1, wait_begin};
    // Keeps the latest place at which another rank reached a collective that this interval completed, if this rank was
    // already waiting and needs the other rank by the operation's rule. call: this rank's call in the collective.
    auto may_bind = [&](int64_t call) {
        const auto row = static_cast<size_t>(call);
        const Place candidate =
            collectives_.last_needed(collectives_.row_of(calls.collective[row]), call, calls.complete[row]);
        completed = completed < 0 ? call : completed;
        if (candidate.t > required.t) {
            required = candidate;
            completed = call;
        }
    };
    // If the messages of a completed collective are known, the path goes through it if this rank waited for one of them
    // in this wait. If there are several such collectives, the path goes through the one with the last wait.
    int64_t waited_until = bound_by_message ? wait->end : wait_begin, traced_call = -1, last_waited = -1;
    for (const EarlyReturns::Completed *completion = first; completion != last; completion++) {
        const auto row = static_cast<size_t>(completion->call);
        const size_t collective = collectives_.row_of(calls.collective[row]);
        if (calls.complete[row] > start.t)
            continue;
        if (!history_.collectives().has_hops[collective]) {
            may_bind(completion->call);
            continue;
        }
        traced_call = completion->call;
        if (const int64_t end = collectives_.end_of_wait(collective, start.lane, start.t); end > waited_until) {
            waited_until = end;
            last_waited = completion->call;
        }
    }
    if (last_waited >= 0) {
        const size_t collective = collectives_.row_of(calls.collective[static_cast<size_t>(last_waited)]);
        if (collectives_.walk_hops(stretches, collective, start))
            return start;
        may_bind(last_waited);
    }
    if (required.lane >= 0 && !(bound_by_message && wait->other_time >= required.t)) {
        collectives_.add(stretches, Category::native, start.lane, required.t, start.t,
                         collectives_.context_of(static_cast<size_t>(completed)));
        return required;
    }
    if (bound_by_message)
        return follow_message(Category::p2p);
    if (const int64_t ended_call = completed >= 0 ? completed : traced_call; ended_call >= 0) {
        collectives_.add(stretches, completed >= 0 ? Category::native : Category::local, start.lane, wait_begin,
                         start.t, collectives_.context_of(static_cast<size_t>(ended_call)));
        return {start.lane, wait_begin};
    }
    const bool matched =
        kind == IntervalKind::p2p ||
        (kind == IntervalKind::wait && history_.completions().contains(start.lane, item.begin, start.t));
    collectives_.add(stretches, matched ? Category::p2p : Category::mpi, start.lane, item.begin, start.t, context);
    return {start.lane, item.begin};
}

// The kind of an item. Calls of collectives count as other MPI.
IntervalKind RunWalker::kind_of(const Item &item) const {
    return item.is_call() ? IntervalKind::mpi : static_cast<IntervalKind>(history_.intervals().kind[item.row()]);
}

// Walks back from a wait for a thread to the end of that thread. The time that the waiting thread took to wake up
// counts as computing.
Place RunWalker::walk_join(Backward &stretches, const Item &item, Place start) const {
    Place end = history_.last_thread_end(start.lane, item.begin, start.t);
    if (end.lane < 0)
        end = {start.lane, item.begin};
    collectives_.add(stretches, Category::compute, start.lane, end.t, start.t, {});
    return end;
}

// Walks from the begin of a thread to the rank's main thread, which created it. If the main thread was then waiting for
// a thread to end, it created this thread before that wait, so the walk goes on where the wait began.
Place RunWalker::begin_of_thread(Backward &stretches, Place place) const {
    place.lane = history_.lanes().main_lane[static_cast<size_t>(place.lane)];
    const Item *item = history_.timeline().last_before(place.lane, place.t);
    if (item && item->end >= place.t && kind_of(*item) == IntervalKind::join) {
        collectives_.add(stretches, Category::compute, place.lane, item->begin, place.t, {});
        place.t = item->begin;
    }
    return place;
}

// True if a collective ended for this rank in this item: the item is its blocking call, or the wait that completed it.
bool RunWalker::ends_collective(const Item &item) const {
    const size_t row = item.row();
    if (item.is_call())
        return !history_.collectives().returns_early[collectives_.row_of(history_.calls().collective[row])];
    const auto [first, last] = history_.early_returns().waited_for(history_.intervals().lane[row], item.begin);
    return std::any_of(first, last, [&](const auto &completed) { return completed.complete <= item.end; });
}

// True if a lead ends at this item: a collective ended in it. A call that starts a nonblocking collective also counts
// if the collective was complete before the call returned.
bool RunWalker::ends_lead(const Item &item) const {
    const Calls &calls = history_.calls();
    const size_t row = item.row();
    return ends_collective(item) ||
           (item.is_call() && calls.complete[row] != MISSING && calls.complete[row] <= item.end);
}

Place RunWalker::walk_back(Backward &stretches, Place place, bool stop_at_collective, size_t stretch_limit) const {
    constexpr Place kDone{-1, 0};
    // Computing lies outside of calls. Its call site is that of the call that comes next.
    auto compute = [&](int64_t begin) {
        const Item *item = history_.timeline().last_before(place.lane, place.t + 1);
        CallContext context;
        if (item && item->end >= place.t)
            context.call_site = context_of(*item).call_site;
        collectives_.add(stretches, Category::compute, place.lane, begin, place.t, context);
    };
    while (stretches.size() < stretch_limit) {
        auto lane = static_cast<size_t>(place.lane);
        const Item *item = history_.timeline().last_before(place.lane, place.t);
        if (!item) {
            if (history_.lanes().main_lane[lane] != place.lane) {
                place = begin_of_thread(stretches, place);
                continue;
            }
            if (int64_t first = history_.lanes().first_event[lane]; first != MISSING)
                compute(first);
            return kDone;
        }
        if (item->end < place.t) {
            Place before = history_.last_communication(place.lane, item->end, place.t);
            if (before.lane < 0)
                before = {place.lane, item->end};
            compute(before.t);
            place = before;
            if (place.lane != static_cast<int32_t>(lane))
                continue;
            if (stop_at_collective && ends_lead(*item))
                return kDone;
            continue;
        }
        if (stop_at_collective && ends_lead(*item))
            return kDone;
        const IntervalKind kind = kind_of(*item);
        if (kind == IntervalKind::idle && history_.lanes().main_lane[lane] != place.lane) {
            place = begin_of_thread(stretches, place);
            continue;
        }
        if (kind == IntervalKind::join) {
            place = walk_join(stretches, *item, place);
            continue;
        }
        if (!item->is_call()) {
            place = walk_interval(stretches, *item, place);
            continue;
        }
        if (!ends_collective(*item)) { // the call only starts a nonblocking collective
            collectives_.add(stretches, Category::local, place.lane, item->begin, place.t, context_of(*item));
            place.t = item->begin;
            continue;
        }
        const size_t row = item->row();
        Place next_place = collectives_.walk(stretches, collectives_.row_of(history_.calls().collective[row]), place);
        if (next_place.t >=
            place.t) { // two calls of one rank in one collective: a damaged trace, but the walk must end
            collectives_.add(stretches, Category::local, place.lane, item->begin, place.t, context_of(*item));
            next_place = {place.lane, item->begin};
        }
        place = next_place;
    }
    return place;
}

// The place from which a lead is walked back: the last enter or, if it is later, a late rank's wait for a nonblocking
// collective. With hops, that wait is the begin of the chain of hops for which the last rank waited. Without hops, it
// is the last begin of a wait for which other members may have waited. Lane -1 if the collective has fewer than two
// calls.
Place RunWalker::last_arrival(size_t collective) const {
    const Column<int64_t> &first_call = history_.collectives().first_call;
    const Calls &calls = history_.calls();
    Place last{-1, MISSING};
    if (first_call[collective + 1] - first_call[collective] < 2)
        return last;
    for (auto i = static_cast<size_t>(first_call[collective]); i < static_cast<size_t>(first_call[collective + 1]); i++)
        if (last.lane < 0 || calls.enter[i] > last.t)
            last = {calls.lane[i], calls.enter[i]};
    const bool has_hops = history_.collectives().has_hops[collective];
    const Place begin = has_hops ? collectives_.begin_of_path(collective) : collectives_.last_wait_needed(collective);
    return begin.lane >= 0 && begin.t > last.t ? begin : last;
}

size_t RunWalker::keep_leads(Stretches &stretches, size_t first, size_t end, size_t limit) const {
    Backward backward;
    size_t leads = 0, trimmed_at = stretches.size();
    for (size_t c = first; c < end && stretches.size() < limit; first = ++c) {
        if (++leads == kLeadsAtOnce || stretches.size() - trimmed_at >= kStepsAtOnce) {
            history_.trim();
            leads = 0;
            trimmed_at = stretches.size();
        }
        const Place last = last_arrival(c);
        if (last.lane < 0)
            continue;
        backward.clear();
        if (walk_back(backward, last, true, limit).lane >= 0)
            break;
        keep(stretches, Path::lead, static_cast<int64_t>(c), backward);
    }
    return first;
}

} // namespace hopscope::paths
