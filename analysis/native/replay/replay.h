// Replays a run: every lane's own work, and each collective by its schedule, all in one order of time.
//
// Ranks, interfaces and links stay busy from one collective to the next. The replay recomputes how long each lane
// waits. It never uses the run's own enter times, because they depend on the algorithms that ran.
#pragma once

#include <vector>

#include "program.h"
#include "schedule.h"

namespace hopscope::replay {

struct Replayed {
    std::vector<double> enter, leave; // per row of Program::member; NaN if the replay did not reach it
    int64_t hops = 0;                 // number of messages of schedules that arrived
    bool finished = false;            // false: lanes wait for each other for ever
};

// Throws std::invalid_argument if a schedule has other ranks than a collective that it runs.
Replayed replay(const Program &program, std::vector<Schedule> &schedules, const Costs &costs);

} // namespace hopscope::replay
