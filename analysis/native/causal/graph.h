// A recorded run as moments that follow from one another, so that it can be run again with some of them changed.
//
// Each lane is a chain of moments: it enters and leaves calls, begins to send, and sees messages arrive. A moment comes
// a gap after the one before it on its lane, and no earlier than its edges allow: a lag after moments of other lanes.
// Time that a lane only waited is in no gap; the edge that ended the wait stands for it. Without a change every moment
// falls where it was recorded, because each has a gap or an edge that was exactly as long.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hopscope::causal {

using Moment = uint32_t;

struct Edge {
    Moment source; // earlier in the order of moments
    int64_t lag;   // ns; MINUS_INFINITY: the edge has no effect
};

class Graph {
  public:
    static constexpr int64_t MINUS_INFINITY = INT64_MIN / 4;

    // Moments come in an order in which every edge leads forward. lane -1: of no lane, only edges say when it is.
    // in_mpi: the gap lies inside a call of MPI.
    Moment add(int32_t lane, int64_t gap, bool in_mpi) {
        lanes_.push_back(lane);
        gaps_.push_back(gap);
        in_mpi_.push_back(in_mpi);
        first_edges_.push_back(static_cast<uint32_t>(edges_.size()));
        return static_cast<Moment>(lanes_.size() - 1);
    }
    // Adds an edge to the moment that was added last; returns its number.
    uint32_t add_edge(Edge edge) {
        edges_.push_back(edge);
        return static_cast<uint32_t>(edges_.size() - 1);
    }
    void reserve(size_t moments, size_t edges);
    int64_t &gap(Moment moment) {
        return gaps_[moment];
    }
    int64_t &lag(uint32_t edge) {
        return edges_[edge].lag;
    }
    size_t size() const {
        return lanes_.size();
    }

    // Runs it once: when each moment falls, in ns. mpi_share: of each gap inside MPI, so much stays.
    void run(size_t lanes, double mpi_share, std::vector<int64_t> &times) const;

  private:
    std::vector<int32_t> lanes_;
    std::vector<int64_t> gaps_;
    std::vector<bool> in_mpi_;
    std::vector<uint32_t> first_edges_;
    std::vector<Edge> edges_;
};

} // namespace hopscope::causal
