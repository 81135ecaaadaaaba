// The points of a recorded run: begins and ends on its lanes, from which the moments of the graph are made.
#pragma once

#include <cstdint>

namespace hopscope::causal {

// The kinds of points, in their order at one time on one lane: ends of earlier calls come before begins of later ones.
// A rank goes on with a nonblocking collective where it begins to wait for it.
enum class Kind : uint8_t { received, send_done, complete, end, begin, goes_on, post, sent };
enum class Table : uint8_t { hops, messages, calls, intervals };

struct Point {
    int64_t time;
    uint32_t row;
    int32_t lane;
    Kind kind;
    Table table;
    uint8_t phase; // orders the points of all lanes at one time
    bool waited;
};

constexpr uint8_t PHASE_AFTER_OTHER_LANES = 20; // phase of a point that another lane's moment of that time allows

} // namespace hopscope::causal
