// A collective's schedules as the replay runs them: the columns of hopscope.native._plan, with the cost of each step.
#pragma once

#include <vector>

#include "program.h"

extern "C" {
#include "plan/schedule.h"
}

namespace hopscope::replay {

// The columns that hopscope.native._plan makes: all ranks' steps, rank after rank. Lengths are in units of unit_bytes.
struct Columns {
    Column<int64_t> first_step, first_edge, edge, first_ready, ready, other_end, length;
    Column<int8_t> kind;
    Column<int32_t> unmet;
    int64_t unit_bytes;
};

struct Step {
    double rank_time; // time for which it occupies its rank
    double bytes;     // of its message
    double crossing;  // time of its message between the near and the far servers
    int32_t other_end, first_edge, last_edge;
    int32_t position; // of its rank in the communicator
    int32_t pair;     // the pair of hosts of its message
    step_kind kind;
    bool is_rendezvous; // its message leaves only when the receive is posted
};

// The count of a receive's message in Schedule::unmet: more than the number of steps that a receive can wait for.
constexpr int32_t MESSAGE = 1 << 30;

class Schedule {
  public:
    // Takes what does not depend on the ranks' hosts. Throws std::invalid_argument if rows do not fit.
    explicit Schedule(const Columns &columns);
    // Sets the cost of each step. hosts: the hosts of the ranks.
    void price(const std::vector<int32_t> &hosts, const Costs &costs);

    size_t ranks() const {
        return steps_of.size();
    }
    bool has_rendezvous() const {
        return has_rendezvous_;
    }
    const std::vector<int32_t> &hosts() const {
        return hosts_;
    }

    std::vector<Step> steps;
    std::vector<int32_t> edges;
    // The number of conditions that each step still waits for: other steps; for a receive, its message; and the rank's
    // enter if the step waits for no other step.
    std::vector<int32_t> unmet;
    std::vector<int32_t> steps_of;   // number of steps of each rank
    std::vector<int32_t> ready;      // the steps that wait for no other, rank after rank
    std::vector<size_t> first_ready; // per rank, one entry more than ranks
    std::vector<char> posts_one;     // of each rank: exactly one of its steps that wait for no other is a receive

  private:
    std::vector<int32_t> hosts_;
    bool has_rendezvous_ = false;
};

// Sets the costs of the schedules that the program runs. Throws std::invalid_argument if one schedule runs collectives
// whose ranks are on different hosts.
void price_all(std::vector<Schedule> &schedules, const Program &program, const Costs &costs);

} // namespace hopscope::replay
