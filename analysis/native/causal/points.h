// The points of a recorded run: begins and ends of calls and messages. Each point becomes a moment of the graph.
#pragma once

#include <cstdint>

namespace hopscope::causal {

// The kinds of points. Of points at the same time on one lane, those with the lower kind come first: the ends of
// earlier calls come before the begins of later ones. goes_on: a rank begins to wait for a nonblocking collective,
// which goes on then.
enum class Kind : uint8_t { received, send_done, complete, end, begin, goes_on, post, sent };
enum class Table : uint8_t { hops, messages, calls, intervals };

struct Point {
    int64_t time;
    uint32_t row;
    int32_t lane;
    Kind kind;
    Table table;
    uint8_t phase; // order among the points of all lanes at the same time
    bool waited;
};

constexpr uint8_t PHASE_AFTER_OTHER_LANES =
    20; // phase of a point that depends on another lane's point at the same time

} // namespace hopscope::causal
