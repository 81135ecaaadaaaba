// Computes the times of all moments in one pass, because every moment depends only on earlier ones.
#include "graph.h"

#include <algorithm>

namespace hopscope::causal {

void Graph::reserve(size_t moments, size_t edges) {
    lanes_.reserve(moments);
    gaps_.reserve(moments);
    in_mpi_.reserve(moments);
    first_edges_.reserve(moments);
    edges_.reserve(edges);
}

void Graph::run(size_t lanes, double mpi_share, std::vector<int64_t> &times) const {
    std::vector<int64_t> lane_times(lanes, 0);
    times.resize(size());
    for (size_t moment = 0; moment < size(); moment++) {
        const int32_t lane = lanes_[moment];
        int64_t gap = gaps_[moment];
        if (mpi_share < 1 && in_mpi_[moment] && gap > 0)
            gap = static_cast<int64_t>(static_cast<double>(gap) * mpi_share);
        int64_t time = lane < 0 ? MINUS_INFINITY : lane_times[static_cast<size_t>(lane)] + gap;
        const size_t end = moment + 1 < size() ? first_edges_[moment + 1] : edges_.size();
        for (size_t edge = first_edges_[moment]; edge < end; edge++)
            time = std::max(time, times[edges_[edge].source] + edges_[edge].lag);
        times[moment] = time;
        if (lane >= 0)
            lane_times[static_cast<size_t>(lane)] = time;
    }
}

} // namespace hopscope::causal
