// Replays a run: every lane's own work and collectives, each collective by its schedule, all in one order of time.
//
// Ranks, interfaces and links stay as busy as one collective leaves them when the next one begins. The replay
// recomputes what each lane waits for; it never uses the run's own enter times, because they depend on the algorithms
// that ran.
#pragma once

#include <vector>

#include "program.h"
#include "schedule.h"

namespace hopscope::replay {

struct Replayed {
    std::vector<double> enter, leave; // per row of Program::member; NaN if it was not reached
    int64_t hops = 0;                 // messages of schedules that arrived
    bool finished = false;            // false: lanes wait for each other for ever
};

// Throws std::invalid_argument if the ranks of a schedule are not those of a collective that it runs.
Replayed replay(const Program &program, std::vector<Schedule> &schedules, const Costs &costs);

} // namespace hopscope::replay
