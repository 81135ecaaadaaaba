// A discrete simulation of one collective as the engine executes it: all children's receives are posted on entry, the
// operands are combined in the order of children, one message is handed to the transport after the other.
//
// A message to another host passes the sender's host interface (one message at a time), the directed pair of hosts
// (bytes in sequence), the latency, and the receiver's host interface in order of arrival.
#include "tree_time.h"

#include <algorithm>

namespace hopscope::paths {

TreeTime::TreeTime(const Program &program, const Candidate &candidate, const Costs &costs)
    : program_(program), candidate_(candidate), costs_(costs), out_free_(costs.hosts, 0), in_free_(costs.hosts, 0),
      pair_free_(costs.hosts * costs.hosts, 0) {}

size_t TreeTime::host_of(int32_t rank) const {
    auto lane = program_.member[static_cast<size_t>(first_member_ + rank)];
    return static_cast<size_t>(program_.host[static_cast<size_t>(lane)]);
}

double TreeTime::segment_size(int32_t segment) const {
    if (segments_ == 1)
        return static_cast<double>(bytes_);
    int64_t begin = segment * candidate_.segment_bytes;
    return static_cast<double>(std::min(candidate_.segment_bytes, bytes_ - begin));
}

void TreeTime::push(double t, int32_t src, int32_t dst, int32_t segment, bool up, Stage stage) {
    events_.push({t, order_++, src, dst, segment, up, stage});
}

void TreeTime::run(size_t collective, const std::vector<double> &enter, std::vector<double> &leave) {
    mode_ = static_cast<Mode>(program_.mode[collective]);
    bytes_ = program_.bytes[collective];
    first_member_ = program_.first_member[collective];
    size_ = static_cast<int32_t>(program_.first_member[collective + 1] - first_member_);
    base_ = candidate_.first_rank[static_cast<size_t>(program_.plan[collective])];
    leave_ = &leave;
    int64_t cut = candidate_.segment_bytes;
    segments_ = cut > 0 && bytes_ > cut ? static_cast<int32_t>((bytes_ + cut - 1) / cut) : 1;
    auto size = static_cast<size_t>(size_), segments = static_cast<size_t>(segments_);
    busy_.resize(size);
    for (size_t r = 0; r < size; r++)
        busy_[r] = enter[r] + costs_.enter;
    leave.assign(size, 0);
    segments_done_.assign(size, 0);
    up_arrival_.assign(size * segments, 0);
    pending_.assign(size * segments, 0);
    std::fill(out_free_.begin(), out_free_.end(), 0);
    std::fill(in_free_.begin(), in_free_.end(), 0);
    for (size_t pair : touched_pairs_)
        pair_free_[pair] = 0;
    touched_pairs_.clear();
    for (int32_t r = 0; r < size_; r++) {
        auto at = static_cast<size_t>(base_ + r);
        auto children = static_cast<int32_t>(candidate_.up_first_child[at + 1] - candidate_.up_first_child[at]);
        for (int32_t s = 0; s < segments_; s++) {
            pending_[static_cast<size_t>(r) * segments + static_cast<size_t>(s)] = children;
            if (mode_ == Mode::broadcast) {
                if (candidate_.down_parent[at] < 0)
                    pass_down(r, s);
            } else if (children == 0) {
                combined(r, s);
            }
        }
    }
    while (!events_.empty()) {
        Event event = events_.top();
        events_.pop();
        handle(event);
    }
}

void TreeTime::handle(const Event &event) {
    size_t from = host_of(event.src), to = host_of(event.dst), pair = from * costs_.hosts + to;
    double bytes = segment_size(event.segment), t = event.t;
    switch (event.stage) {
    case Stage::sent:
        if (from == to) {
            push(t + costs_.latency[pair] + costs_.per_byte[pair] * bytes, event.src, event.dst, event.segment,
                 event.up, Stage::visible);
            return;
        }
        out_free_[from] = t = std::max(out_free_[from], t) + costs_.interface_message;
        touched_pairs_.push_back(pair);
        pair_free_[pair] = t = std::max(pair_free_[pair], t) + costs_.per_byte[pair] * bytes;
        push(t + costs_.latency[pair], event.src, event.dst, event.segment, event.up, Stage::at_host);
        return;
    case Stage::at_host:
        in_free_[to] = t = std::max(in_free_[to], t) + costs_.interface_message;
        push(t, event.src, event.dst, event.segment, event.up, Stage::visible);
        return;
    case Stage::visible:
        received(event);
        return;
    }
}

void TreeTime::received(const Event &event) {
    auto rank = static_cast<size_t>(event.dst), segment = static_cast<size_t>(event.segment);
    auto segments = static_cast<size_t>(segments_);
    if (!event.up) {
        busy_[rank] = std::max(busy_[rank], event.t) + costs_.handle_down;
        pass_down(event.dst, event.segment);
        return;
    }
    up_arrival_[static_cast<size_t>(event.src) * segments + segment] = event.t;
    if (--pending_[rank * segments + segment] > 0)
        return;
    auto at = static_cast<size_t>(base_) + rank;
    double t = busy_[rank], cost = costs_.handle_up + costs_.combine_per_byte * segment_size(event.segment);
    for (auto i = candidate_.up_first_child[at]; i < candidate_.up_first_child[at + 1]; i++) {
        auto child = static_cast<size_t>(candidate_.up_children[static_cast<size_t>(i)]);
        t = std::max(t, up_arrival_[child * segments + segment]) + cost;
    }
    busy_[rank] = t;
    combined(event.dst, event.segment);
}

void TreeTime::combined(int32_t rank, int32_t segment) {
    auto r = static_cast<size_t>(rank);
    int32_t parent = candidate_.up_parent[static_cast<size_t>(base_ + rank)];
    if (parent < 0 && mode_ == Mode::both) {
        pass_down(rank, segment);
        return;
    }
    if (parent >= 0) {
        push(busy_[r], rank, parent, segment, true, Stage::sent);
        busy_[r] += costs_.send;
    }
    if (mode_ == Mode::reduce && ++segments_done_[r] == segments_)
        (*leave_)[r] = busy_[r] + costs_.leave;
}

void TreeTime::pass_down(int32_t rank, int32_t segment) {
    auto r = static_cast<size_t>(rank), at = static_cast<size_t>(base_ + rank);
    for (auto i = candidate_.down_first_child[at]; i < candidate_.down_first_child[at + 1]; i++) {
        push(busy_[r], rank, candidate_.down_children[static_cast<size_t>(i)], segment, false, Stage::sent);
        busy_[r] += costs_.send;
    }
    if (++segments_done_[r] == segments_)
        (*leave_)[r] = busy_[r] + costs_.leave;
}

} // namespace hopscope::paths
