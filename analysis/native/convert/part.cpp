/* Matches and judges the hops of some collectives. */
#include "part.h"

#include <algorithm>
#include <tuple>

namespace hopscope {

void Part::match() {
    for (size_t i = 0; i < count_; i++) {
        const Collective &collective = (*this)[i];
        const uint64_t lost = match_hops(making_.trace, collective, hops);
        unmatched += lost;
        first_hop.push_back(hops.size());
        hidden_.push_back(what_hides(i, lost));
        for (const Call &call : collective.calls) {
            const LocationEvents &location = trace_.locations[call.location];
            for (int64_t s = record(call).last_step; s >= 0; s = location.steps[s].before)
                if (location.steps[s].end != kNull64)
                    steps.push_back(
                        {location.steps[s].begin, location.steps[s].end, call.location, s, location.steps[s].kind});
        }
        std::sort(steps.begin() + static_cast<std::ptrdiff_t>(first_step.back()), steps.end(),
                  [](const Step &a, const Step &b) {
                      return std::tie(a.begin, a.location, a.index) < std::tie(b.begin, b.location, b.index);
                  });
        first_step.push_back(steps.size());
    }
}

/* What keeps the critical path out of messages of the MPI library: it may not pass over what the trace does not show.
 * -1 for nothing. */
int8_t Part::what_hides(size_t i, uint64_t ends_lost) {
    const Collective &collective = (*this)[i];
    const Shadow *shadow = tree_of(collective);
    auto passed_none = [&](const Call &call) { return making_.words->of_string(record(call).engine) == words_.silent; };
    const bool shared =
        !shadow && words_.silent >= 0 && std::any_of(collective.calls.begin(), collective.calls.end(), passed_none);
    if (!shadow || !shadow->native)
        return shared ? static_cast<int8_t>(NativeReason::shared) : int8_t{-1};
    if (ends_lost > 0)
        return static_cast<int8_t>(NativeReason::unmatched);
    shown_.clear();
    for (size_t h = first_hop[i]; h < hops.size(); h++)
        shown_.insert(shown_.end(), {hops[h].src, hops[h].dst});
    std::sort(shown_.begin(), shown_.end());
    auto has_payload = [&](const Call &call) { return record(call).bytes_sent > 0 || record(call).bytes_received > 0; };
    const bool barrier = std::none_of(collective.calls.begin(), collective.calls.end(), has_payload);
    size_t done = 0;
    bool silent = false;
    for (const Call &call : collective.calls) {
        const CallRecord &its = record(call);
        done += (its.nonblocking ? its.complete : its.leave) != kNull64;
        silent =
            silent || ((barrier || has_payload(call)) && !std::binary_search(shown_.begin(), shown_.end(), call.rank));
    }
    if (done != trace_.comms->all()[static_cast<size_t>(collective.comm)].members.size())
        return static_cast<int8_t>(NativeReason::incomplete);
    return silent ? static_cast<int8_t>(NativeReason::silent) : int8_t{-1};
}

void Part::judge(const paths::Judge &judge) {
    const paths::BindingResult judged = judge.judge(messages);
    waits = paths::waits_of(messages, judged);
    first_wait = paths::first_waits(waits, messages, collectives);
    const paths::CollectiveWalker walker(collectives, calls, making_.lanes, {waits.data(), first_wait.data()});
    for (int8_t binding : judged.binding)
        hop_binding_->push_back(words_.bindings[static_cast<size_t>(binding)]);
    const std::pair<Values<int64_t> *, Kept<int64_t>> found[] = {{hop_predecessor_, walker.hop_predecessors(messages)},
                                                                 {call_predecessor_, walker.call_predecessors()}};
    for (const auto &[column, ids] : found)
        for (int64_t id : ids)
            column->push_back(id < 0 ? kNull64 : id);
    for (const paths::Place &begin : walker.chain_begins()) {
        needed_rank_->push_back(begin.lane < 0 ? kNull32 : making_.lanes.rank[static_cast<size_t>(begin.lane)]);
        needed_ns_->push_back(begin.lane < 0 ? kNull64 : begin.t);
    }
    for (size_t row : walker.keep_paths(stretches_))
        (*native_reason_)[row] = words_.native_reasons[static_cast<size_t>(NativeReason::undecided)];
}

void Part::give(Tables &out) {
    for (auto &[name, table] : Tables{{"collectives", collectives_table_},
                                      {"calls", calls_table_},
                                      {"steps", steps_table_},
                                      {"hops", hops_table_}})
        if (table->rows() > 0)
            out.emplace_back(name, table);
}

} // namespace hopscope
