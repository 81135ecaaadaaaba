// Replays a run: simulates every lane's own work, and each collective by its schedule, in the order of time.
//
// A rank, interface or link that one collective keeps busy also delays the next collective. The replay computes how
// long each lane waits. It never uses the recorded enter times, because they depend on the algorithms that ran.
#pragma once

#include <vector>

#include "program.h"
#include "schedule.h"

namespace hopscope::replay {

struct Replayed {
    std::vector<double> enter, leave; // per row of Program::member; NaN if the replay did not reach it
    int64_t hops = 0;                 // number of messages that arrived, in collectives with a schedule
    bool finished = false;            // false: lanes wait for each other forever
};

// Replays the program. Throws std::invalid_argument if a schedule does not have as many ranks as a collective that it
// runs, or if it runs collectives whose ranks are on different hosts.
Replayed replay(const Program &program, std::vector<Schedule> &schedules, const Costs &costs);

} // namespace hopscope::replay
