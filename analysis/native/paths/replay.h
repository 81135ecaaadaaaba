// Replays a run over other trees.
//
// The replay recomputes each lane's waits as another tree would cause them. It never uses the run's own enter times,
// because they depend on the tree that ran.
#pragma once

#include <vector>

#include "program.h"

namespace hopscope::paths {

struct Replayed {
    std::vector<double> last_enter, last_leave; // per collective; NaN if it was not reached
    bool finished = false;                      // false: lanes wait for each other for ever
};

Replayed replay(const Program &program, const Candidate &candidate, const Costs &costs);

} // namespace hopscope::paths
