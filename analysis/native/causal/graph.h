// A recorded run as a graph of moments that depend on earlier moments, so that the run can be computed again with
// changes.
//
// Each lane (thread) is a chain of moments, at which it enters and leaves calls, begins to send, and sees messages
// arrive. A moment comes as early as its gap and its edges allow. The gap is the least time after the previous moment
// of its lane. An edge is a least time (lag) after a moment of another lane. A gap does not contain waits, because the
// edge that ended a wait accounts for it. Without changes every moment has its recorded time, because its gap or one of
// its edges ends exactly then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hopscope::causal {

using Moment = uint32_t;

struct Edge {
    Moment source; // an earlier moment
    int64_t lag;   // ns; MINUS_INFINITY: the edge has no effect
};

class Graph {
  public:
    static constexpr int64_t MINUS_INFINITY = INT64_MIN / 4;

    // Adds a moment. Its edges, added next, must come from moments that were added before. lane -1: the moment belongs
    // to no lane, and only its edges determine its time. in_mpi: true if the gap lies inside an MPI call.
    Moment add(int32_t lane, int64_t gap, bool in_mpi) {
        lanes_.push_back(lane);
        gaps_.push_back(gap);
        in_mpi_.push_back(in_mpi);
        first_edges_.push_back(static_cast<uint32_t>(edges_.size()));
        return static_cast<Moment>(lanes_.size() - 1);
    }
    // Adds an edge to the moment that was added last. Returns the number of the edge.
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

    // Computes the time of each moment, in ns. mpi_share: the factor by which each gap inside MPI is multiplied.
    void run(size_t lanes, double mpi_share, std::vector<int64_t> &times) const;

  private:
    std::vector<int32_t> lanes_;
    std::vector<int64_t> gaps_;
    std::vector<bool> in_mpi_;
    std::vector<uint32_t> first_edges_;
    std::vector<Edge> edges_;
};

} // namespace hopscope::causal
