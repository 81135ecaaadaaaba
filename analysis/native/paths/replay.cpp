// Runs a program lane by lane: a lane proceeds until it needs a message not sent yet, or waits in a collective.
#include "replay.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tree_time.h"

namespace hopscope::paths {
namespace {

constexpr double UNKNOWN = std::numeric_limits<double>::quiet_NaN();

class Replay {
  public:
    Replay(const Program &program, const Candidate &candidate, const Costs &costs)
        : program_(program), tree_time_(program, candidate, costs), now_(program.lanes(), 0), at_(program.lanes()),
          started_(program.lanes(), 0), sent_(program.transit.size, UNKNOWN), waiting_(program.transit.size, -1),
          arrived_(program.collectives(), 0), entered_(program.member.size, 0) {
        result_.last_enter.assign(program.collectives(), UNKNOWN);
        result_.last_leave.assign(program.collectives(), UNKNOWN);
    }

    Replayed run() {
        for (size_t lane = 0; lane < program_.lanes(); lane++) {
            at_[lane] = program_.first_op[lane];
            runnable_.push_back(static_cast<int32_t>(lane));
        }
        while (!runnable_.empty()) {
            int32_t lane = runnable_.back();
            runnable_.pop_back();
            advance(static_cast<size_t>(lane));
        }
        result_.finished = std::none_of(result_.last_leave.begin(), result_.last_leave.end(),
                                        [](double leave) { return std::isnan(leave); });
        for (size_t lane = 0; lane < program_.lanes(); lane++)
            result_.finished = result_.finished && at_[lane] == program_.first_op[lane + 1];
        return std::move(result_);
    }

  private:
    void advance(size_t lane) {
        for (; at_[lane] < program_.first_op[lane + 1]; at_[lane]++) {
            auto op = static_cast<size_t>(at_[lane]);
            auto ref = static_cast<size_t>(program_.ref[op]);
            if (!started_[lane]) { // only once, even if the lane returns to this operation
                now_[lane] += static_cast<double>(program_.gap[op]);
                started_[lane] = 1;
            }
            switch (static_cast<Op>(program_.op[op])) {
            case Op::send:
                sent_[ref] = now_[lane];
                if (waiting_[ref] >= 0)
                    runnable_.push_back(waiting_[ref]);
                break;
            case Op::wait:
                if (std::isnan(sent_[ref])) {
                    waiting_[ref] = static_cast<int32_t>(lane);
                    return;
                }
                now_[lane] = std::max(now_[lane] + static_cast<double>(program_.hold[op]),
                                      sent_[ref] + static_cast<double>(program_.transit[ref]));
                break;
            case Op::collective:
                // The last to come releases the others; until then this lane stays before its next operation.
                started_[lane] = 0;
                at_[lane]++;
                enter(ref, static_cast<size_t>(program_.slot[op]), now_[lane]);
                return;
            }
            started_[lane] = 0;
        }
    }

    void enter(size_t collective, size_t slot, double t) {
        auto first = static_cast<size_t>(program_.first_member[collective]);
        auto last = static_cast<size_t>(program_.first_member[collective + 1]);
        entered_[slot] = t;
        if (static_cast<size_t>(++arrived_[collective]) < last - first)
            return;
        enters_.assign(entered_.begin() + static_cast<ptrdiff_t>(first),
                       entered_.begin() + static_cast<ptrdiff_t>(last));
        if (static_cast<Mode>(program_.mode[collective]) == Mode::as_observed)
            leave_as_observed(collective, first);
        else
            tree_time_.run(collective, enters_, leaves_);
        result_.last_enter[collective] = *std::max_element(enters_.begin(), enters_.end());
        result_.last_leave[collective] = *std::max_element(leaves_.begin(), leaves_.end());
        for (size_t i = 0; i < leaves_.size(); i++) {
            int32_t other = program_.member[first + i];
            now_[static_cast<size_t>(other)] = leaves_[i];
            runnable_.push_back(other);
        }
    }

    // The time the library (or another tree) took after the last enter that a rank had to wait for stays the same.
    void leave_as_observed(size_t collective, size_t first) {
        leaves_.resize(enters_.size());
        int32_t root = program_.root_position[collective];
        double last = *std::max_element(enters_.begin(), enters_.end());
        double last_before = -std::numeric_limits<double>::infinity();
        for (size_t i = 0; i < enters_.size(); i++) {
            double waited_for = enters_[i];
            switch (static_cast<Leads>(program_.leads[collective])) {
            case Leads::to_last_enter:
                waited_for = last;
                break;
            case Leads::to_root:
                if (root >= 0)
                    waited_for = std::max(waited_for, enters_[static_cast<size_t>(root)]);
                break;
            case Leads::root_to_last_enter:
                if (static_cast<int32_t>(i) == root)
                    waited_for = last;
                break;
            case Leads::scan:
            case Leads::exscan:
                waited_for = std::max(waited_for, last_before);
                break;
            case Leads::stays:
                break;
            }
            last_before = std::max(last_before, enters_[i]);
            leaves_[i] = waited_for + static_cast<double>(program_.own_time[first + i]);
        }
    }

    const Program &program_;
    TreeTime tree_time_;
    std::vector<double> now_;
    std::vector<int64_t> at_;
    std::vector<int8_t> started_;
    std::vector<double> sent_;
    std::vector<int32_t> waiting_;
    std::vector<int32_t> arrived_;
    std::vector<double> entered_, enters_, leaves_;
    std::vector<int32_t> runnable_;
    Replayed result_;
};

} // namespace

Replayed replay(const Program &program, const Candidate &candidate, const Costs &costs) {
    return Replay(program, candidate, costs).run();
}

} // namespace hopscope::paths
