// How long one collective takes over a tree: when each rank leaves, given when each enters.
#pragma once

#include <queue>

#include "replay.h"

namespace hopscope::paths {

class TreeTime {
  public:
    TreeTime(const Program &program, const Candidate &candidate, const Costs &costs);
    // enter and leave by position among the collective's members. leave is filled.
    void run(size_t collective, const std::vector<double> &enter, std::vector<double> &leave);

  private:
    enum class Stage : int8_t { sent, at_host, visible };
    struct Event {
        double t;
        int64_t order; // of two at one time the one made first
        int32_t src, dst, segment;
        bool up;
        Stage stage;
        bool operator>(const Event &other) const {
            return t != other.t ? t > other.t : order > other.order;
        }
    };

    void push(double t, int32_t src, int32_t dst, int32_t segment, bool up, Stage stage);
    void handle(const Event &event);
    void received(const Event &event);
    void combined(int32_t rank, int32_t segment);
    void pass_down(int32_t rank, int32_t segment);
    double segment_size(int32_t segment) const;
    size_t host_of(int32_t rank) const;

    const Program &program_;
    const Candidate &candidate_;
    const Costs &costs_;
    // Of the collective that is being simulated.
    Mode mode_ = Mode::both;
    int64_t bytes_ = 0, base_ = 0, first_member_ = 0;
    int32_t size_ = 0, segments_ = 1;
    std::vector<double> busy_, up_arrival_;
    std::vector<int32_t> pending_, segments_done_;
    std::vector<double> *leave_ = nullptr;
    std::vector<double> out_free_, in_free_, pair_free_;
    std::vector<size_t> touched_pairs_;
    std::priority_queue<Event, std::vector<Event>, std::greater<Event>> events_;
    int64_t order_ = 0;
};

} // namespace hopscope::paths
