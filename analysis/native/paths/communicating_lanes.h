// Finds the lanes (threads) that communicate: those with MPI calls other than the ones that start or end MPI.
#pragma once

#include <vector>

#include "columns.h"

namespace hopscope::paths {

class CommunicatingLanes {
  public:
    explicit CommunicatingLanes(size_t lanes) : communicates_(lanes, false) {}

    void add(size_t lane) {
        communicates_[lane] = true;
    }

    void add(const Intervals &intervals) {
        for (size_t i = 0; i < intervals.size(); i++)
            if (is_communication(static_cast<IntervalKind>(intervals.kind[i])))
                add(static_cast<size_t>(intervals.lane[i]));
    }

    bool communicates(size_t lane) const {
        return communicates_[lane];
    }

    // True for the main lane of a rank that communicates only in other threads. The trace does not show what the main
    // thread does meanwhile: it may wait for the other threads, for example by a lock.
    bool rests(const Lanes &lanes, int32_t lane) const {
        if (lanes.main_lane[static_cast<size_t>(lane)] != lane || communicates_[static_cast<size_t>(lane)])
            return false;
        for (size_t other = 0; other < lanes.size(); other++)
            if (lanes.main_lane[other] == lane && communicates_[other])
                return true;
        return false;
    }

  private:
    static bool is_communication(IntervalKind kind) {
        switch (kind) {
        case IntervalKind::p2p:
        case IntervalKind::wait:
        case IntervalKind::comm:
        case IntervalKind::rma:
        case IntervalKind::io:
        case IntervalKind::mpi:
        case IntervalKind::mixed:
        case IntervalKind::join:
            return true;
        default:
            return false;
        }
    }

    std::vector<bool> communicates_;
};

} // namespace hopscope::paths
