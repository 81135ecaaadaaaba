// How long one collective takes over a tree: when each rank leaves, given when each enters.
#pragma once

#include <vector>

#include "network.h"

namespace hopscope::paths {

class TreeTime {
  public:
    TreeTime(const Program &program, const Candidate &candidate, const Costs &costs);
    // enter and leave are indexed by position among the collective's members. Fills leave.
    void run(size_t collective, const std::vector<double> &enter, std::vector<double> &leave);

  private:
    friend Network; // calls sent and visible
    void send(int32_t src, int32_t dst, int32_t segment, bool up);
    void sent(const Message &message, double t);
    void visible(const Message &message, double t);
    void combined(int32_t rank, int32_t segment);
    void pass_down(int32_t rank, int32_t segment);
    void leaves(size_t rank, double t);
    double segment_size(int32_t segment) const;
    size_t host_of(int32_t rank) const;

    const Program &program_;
    const Candidate &candidate_;
    const Costs &costs_;
    // For the collective being simulated.
    Mode mode_ = Mode::both;
    int64_t bytes_ = 0, base_ = 0, first_member_ = 0;
    int32_t size_ = 0, segments_ = 1;
    std::vector<double> posted_, busy_, up_arrival_;
    std::vector<int32_t> pending_, segments_done_;
    std::vector<double> *leave_ = nullptr;
    Network network_;
};

} // namespace hopscope::paths
