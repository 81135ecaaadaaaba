// The schedule of a collective as the replay runs it: the steps of all ranks from hopscope.native._plan, with their
// costs.
#pragma once

#include <vector>

#include "program.h"

extern "C" {
#include "plan/schedule.h"
}

namespace hopscope::replay {

// The columns that hopscope.native._plan makes (plan/schedules.h): the steps of all ranks, rank after rank. Lengths are
// in units of unit_bytes.
struct Columns {
    Column<int64_t> first_step, first_edge, edge, first_ready, ready, other_end, length;
    Column<int8_t> kind;
    Column<int32_t> unmet;
    int64_t unit_bytes;
};

struct Step {
    double rank_time; // time for which the step occupies its rank, in ns
    double bytes;     // size of its message or data
    double crossing;  // time of its message between the near and the far servers, in ns
    int32_t other_end, first_edge, last_edge;
    int32_t position; // its rank's index in the communicator
    int32_t pair;     // its message's pair of hosts: from host * hosts + to host
    step_kind kind;
    bool is_rendezvous; // true if its message needs a rendezvous with the posted receive
};

// The number that a receive's message adds to Schedule::unmet. It is larger than the number of steps that a receive can
// wait for, so that both can be told apart.
constexpr int32_t MESSAGE = 1 << 30;

class Schedule {
  public:
    // Makes the steps without their costs, which depend on the ranks' hosts. Throws std::invalid_argument if the
    // columns do not fit together.
    explicit Schedule(const Columns &columns);
    // Sets the costs of the steps. hosts: the host of each rank.
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
    // Per step: the number of conditions for which it waits. These are other steps, and the rank's enter if it waits
    // for no other step. A receive's message counts as MESSAGE.
    std::vector<int32_t> unmet;
    std::vector<int32_t> steps_of;   // per rank: number of its steps
    std::vector<int32_t> ready;      // the steps that wait for no other, rank after rank
    std::vector<size_t> first_ready; // per rank: index of its first entry in `ready`; one entry more than ranks
    std::vector<char> posts_one;     // per rank: 1 if exactly one of its entries in `ready` is a receive

  private:
    std::vector<int32_t> hosts_;
    bool has_rendezvous_ = false;
};

// Sets the costs of the schedules that the program runs. Throws std::invalid_argument if a schedule does not have as
// many ranks as its collective, or if it runs collectives whose ranks are on different hosts.
void price_all(std::vector<Schedule> &schedules, const Program &program, const Costs &costs);

} // namespace hopscope::replay
