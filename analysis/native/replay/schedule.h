// A collective's schedules as the replay runs them: the columns of hopscope.native._plan with what each step costs.
#pragma once

#include <vector>

#include "program.h"

extern "C" {
#include "plan/schedule.h"
}

namespace hopscope::replay {

// As hopscope.native._plan makes them: all ranks' steps, rank after rank. Lengths are in units of unit_bytes.
struct Columns {
    Column<int64_t> first_step, first_edge, edge, first_ready, ready, other_end, length;
    Column<int8_t> kind;
    Column<int32_t> unmet;
    int64_t unit_bytes;
};

struct Step {
    double rank_time; // what it takes its rank
    double bytes;     // of its message
    double crossing;  // what that takes between the near servers and the far ones
    int32_t other_end, first_edge, last_edge;
    int32_t position; // of its rank in the communicator
    int32_t pair;     // of hosts, of its message
    step_kind kind;
    bool is_rendezvous; // its message goes only when the receive is posted
};

// In Schedule::unmet, a receive's message counts as this: more than all steps that it can wait for.
constexpr int32_t MESSAGE = 1 << 30;

class Schedule {
  public:
    // Takes what does not depend on where its ranks are. Throws std::invalid_argument if rows do not fit.
    explicit Schedule(const Columns &columns);
    // hosts: of the ranks.
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
    // Number of unmet conditions of each step: other steps; a receive's message; the rank's enter if it waits for no
    // step.
    std::vector<int32_t> unmet;
    std::vector<int32_t> steps_of;   // how many steps each rank has
    std::vector<int32_t> ready;      // the steps that wait for no other, rank after rank
    std::vector<size_t> first_ready; // per rank, one entry more than ranks
    std::vector<char> posts_one;     // of each rank: one of its steps that wait for no other is a receive

  private:
    std::vector<int32_t> hosts_;
    bool has_rendezvous_ = false;
};

// Prices those that the program runs. Throws std::invalid_argument if one runs collectives whose ranks differ.
void price_all(std::vector<Schedule> &schedules, const Program &program, const Costs &costs);

} // namespace hopscope::replay
