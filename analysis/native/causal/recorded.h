// Makes the graph of a recorded run from its calls and messages, and keeps which moment belongs to which of them.
#pragma once

#include <utility>
#include <vector>

#include "graph.h"
#include "paths/columns.h"

namespace hopscope::causal {

using paths::Binding;
using paths::Column;

constexpr Moment NO_MOMENT = UINT32_MAX;
constexpr uint32_t NO_EDGE = UINT32_MAX;

// Columns of a dataset. Row numbers count from 0. hop_binding and message_binding have codes of enum Binding.
struct Columns {
    paths::Collectives collectives; // has_hops: 1 if hops tell its waits, 0 if the operation's rule does
    paths::Calls calls;
    // Per call of a collective without hops: the end of the wait for other ranks, which a row of polls may divide;
    // MISSING if unknown.
    Column<int64_t> waited_until;
    paths::Intervals intervals; // region and call_site are not used
    paths::Lanes lanes;
    paths::Messages hops, messages;
    Column<int8_t> hop_binding, message_binding;
};

// The moments and edges of each row of hops, or of messages; NO_MOMENT and NO_EDGE where the graph has none.
struct MessageMoments {
    std::vector<Moment> sent, posted, received;
    std::vector<uint32_t> transfer; // from the send's begin to the receive's end
    std::vector<uint32_t> hold;     // from the receive's post to the send's end
    std::vector<uint32_t> sending;  // from the send's begin to its end
};

struct Recorded {
    Graph graph;
    std::vector<int64_t> recorded;                              // recorded time of each moment, in ns
    std::vector<std::vector<std::pair<int64_t, Moment>>> enter; // per lane: begins of calls and intervals, ascending
    std::vector<Moment> interval_end;                           // per row of intervals: the moment of its end
    std::vector<std::pair<Moment, uint32_t>> call_end;          // per row of calls without hops: its end and its edge
    MessageMoments hops, messages;
    size_t lanes = 0;
};

// Makes the graph of a run. Sorts all moments by time.
Recorded recorded_run(const Columns &columns);

} // namespace hopscope::causal
