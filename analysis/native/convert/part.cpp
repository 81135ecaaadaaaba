/* Matching and judging the hops of some collectives. */
#include "part.h"

#include <algorithm>
#include <tuple>

namespace hopscope {

void Part::match() {
    for (size_t i = 0; i < count_; i++) {
        const Collective &collective = (*this)[i];
        unmatched += match_hops(trace_, collective, hops);
        first_hop.push_back(hops.size());
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

void Part::judge(const paths::Judge &judge) {
    const paths::BindingResult judged = judge.judge(messages);
    waits = paths::waits_of(messages, judged);
    const std::vector<int64_t> first = paths::first_waits(waits, collectives);
    const paths::CollectiveWalker walker(collectives, calls, making_.lanes, {waits.data(), first.data()});
    for (int8_t binding : judged.binding)
        hop_binding_->push_back(words_.bindings[static_cast<size_t>(binding)]);
    const std::pair<Values<int64_t> *, Kept<int64_t>> found[] = {{hop_predecessor_, walker.hop_predecessors(messages)},
                                                                 {call_predecessor_, walker.call_predecessors()}};
    for (const auto &[column, ids] : found)
        for (int64_t id : ids)
            column->push_back(id < 0 ? kNull64 : id);
    walker.keep_paths(stretches_);
}

void Part::give(Tables &out) {
    for (auto &[name, table] : Tables{{"collectives", collectives_table_},
                                      {"calls", calls_table_},
                                      {"steps", steps_table_},
                                      {"hops", hops_table_}})
        if (table->rows() > 0)
            out.emplace_back(name, table);
    add_stretches(stretches_, making_.words, out);
}

} // namespace hopscope
