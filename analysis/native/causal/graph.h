// A recorded run as moments that follow from one another, so that it can be run again with some of them changed.
//
// Each lane is a chain of moments: it enters and leaves calls, begins to send, and sees messages arrive. Two things
// keep a moment back. Its gap is the least time after the moment before it on its lane. Each of its edges is a least
// time (lag) after a moment of another lane. A wait is not part of a gap, because the edge that ended it accounts for
// it. Without changes every moment falls where it was recorded: its gap or one of its edges was exactly as long.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hopscope::causal {

using Moment = uint32_t;

struct Edge {
    Moment source; // a moment that was added before
    int64_t lag;   // ns; MINUS_INFINITY: the edge has no effect
};

class Graph {
  public:
    static constexpr int64_t MINUS_INFINITY = INT64_MIN / 4;

    // Adds a moment. Every edge leads from a moment added earlier. lane -1: the moment belongs to no lane and has edges
    // only. in_mpi: the gap lies inside an MPI call.
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

    // Runs the graph once and sets the time of each moment, in ns. mpi_share: the share that remains of each gap in
    // MPI.
    void run(size_t lanes, double mpi_share, std::vector<int64_t> &times) const;

  private:
    std::vector<int32_t> lanes_;
    std::vector<int64_t> gaps_;
    std::vector<bool> in_mpi_;
    std::vector<uint32_t> first_edges_;
    std::vector<Edge> edges_;
};

} // namespace hopscope::causal
