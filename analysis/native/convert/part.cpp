/* Matches the hops of a Part's collectives and classifies the waits for them. */
#include "part.h"

#include <algorithm>
#include <tuple>

namespace hopscope {

void Part::match() {
    for (size_t i = 0; i < count_; i++) {
        const Collective &collective = (*this)[i];
        const uint64_t unmatched_ends = match_hops(making_.trace, collective, hops);
        unmatched += unmatched_ends;
        first_hop.push_back(hops.size());
        hidden_.push_back(what_hides(i, unmatched_ends));
        for (const Call &call : collective.calls) {
            const LocationEvents &location = trace_.locations[call.location];
            for (int64_t s = record(call).last_step; s >= 0; s = location.steps[s].predecessor)
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

/* The reason (enum NativeReason) why the critical path may not use the MPI library's messages of a collective: the
 * trace may lack some of them. -1: the path may use them. ends_lost: the number of sends and receives without a
 * counterpart. */
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
    hop_ranks_.clear();
    for (size_t h = first_hop[i]; h < hops.size(); h++)
        hop_ranks_.insert(hop_ranks_.end(), {hops[h].src, hops[h].dst});
    std::sort(hop_ranks_.begin(), hop_ranks_.end());
    auto has_payload = [&](const Call &call) { return record(call).bytes_sent > 0 || record(call).bytes_received > 0; };
    const bool barrier = std::none_of(collective.calls.begin(), collective.calls.end(), has_payload);
    size_t done = 0;
    bool silent = false;
    for (const Call &call : collective.calls) {
        const CallRecord &call_record = record(call);
        done += (call_record.nonblocking ? call_record.complete : call_record.leave) != kNull64;
        silent = silent || ((barrier || has_payload(call)) &&
                            !std::binary_search(hop_ranks_.begin(), hop_ranks_.end(), call.rank));
    }
    if (done != trace_.comms->list()[static_cast<size_t>(collective.comm)].members.size())
        return static_cast<int8_t>(NativeReason::incomplete);
    return silent ? static_cast<int8_t>(NativeReason::silent) : int8_t{-1};
}

void Part::classify(const paths::BindingClassifier &classifier) {
    const paths::BindingResult result = classifier.classify(messages);
    waits = paths::waits_of(messages, result);
    first_wait = paths::first_waits(waits, messages, collectives);
    const paths::CollectiveWalker walker(collectives, calls, making_.lanes, {waits.data(), first_wait.data()});
    for (int8_t binding : result.binding)
        hop_binding_->push_back(words_.bindings[static_cast<size_t>(binding)]);
    const std::pair<Values<int64_t> *, PooledVector<int64_t>> predecessors[] = {
        {hop_predecessor_, walker.hop_predecessors(messages)}, {call_predecessor_, walker.call_predecessors()}};
    for (const auto &[column, ids] : predecessors)
        for (int64_t id : ids)
            column->push_back(id < 0 ? kNull64 : id);
    for (const paths::Place &begin : walker.chain_begins()) {
        needed_rank_->push_back(begin.lane < 0 ? kNull32 : making_.lanes.rank[static_cast<size_t>(begin.lane)]);
        needed_ns_->push_back(begin.lane < 0 ? kNull64 : begin.t);
    }
    for (size_t row : walker.keep_paths(stretches_))
        (*native_reason_)[row] = words_.native_reasons[static_cast<size_t>(NativeReason::undecided)];
}

void Part::give(Tables &tables) {
    for (auto &[name, table] : Tables{{"collectives", collectives_table_},
                                      {"calls", calls_table_},
                                      {"steps", steps_table_},
                                      {"hops", hops_table_}})
        if (table->rows() > 0)
            tables.emplace_back(name, table);
}

} // namespace hopscope
