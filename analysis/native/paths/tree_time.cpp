// A discrete simulation of one collective as the engine executes it: all children's receives are posted on entry,
// operands are combined in the order of children, and messages go to the transport one after another.
#include "tree_time.h"

#include <algorithm>

namespace hopscope::paths {

TreeTime::TreeTime(const Program &program, const Candidate &candidate, const Costs &costs)
    : program_(program), candidate_(candidate), costs_(costs), network_(costs) {}

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

void TreeTime::send(int32_t src, int32_t dst, int32_t segment, bool up) {
    auto rank = static_cast<size_t>(src);
    network_.send(busy_[rank], {src, dst, host_of(src), host_of(dst), segment_size(segment),
                                posted_[static_cast<size_t>(dst)], segment, up});
    busy_[rank] += costs_.send;
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
    posted_ = busy_;
    leave.assign(size, 0);
    segments_done_.assign(size, 0);
    up_arrival_.assign(size * segments, 0);
    pending_.assign(size * segments, 0);
    network_.begin(size, *std::min_element(enter.begin(), enter.end()));
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
    network_.run(*this);
}

// A rank leaves when it is done with all its messages.
void TreeTime::leaves(size_t rank, double t) {
    (*leave_)[rank] = std::max((*leave_)[rank], t + costs_.leave);
}

void TreeTime::sent(const Message &message, double t) {
    leaves(static_cast<size_t>(message.src), t);
}

void TreeTime::visible(const Message &message, double t) {
    auto rank = static_cast<size_t>(message.dst), segment = static_cast<size_t>(message.segment);
    auto segments = static_cast<size_t>(segments_);
    if (!message.up) {
        busy_[rank] = std::max(busy_[rank], t) + costs_.handle_down;
        pass_down(message.dst, message.segment);
        return;
    }
    up_arrival_[static_cast<size_t>(message.src) * segments + segment] = t;
    if (--pending_[rank * segments + segment] > 0)
        return;
    auto at = static_cast<size_t>(base_) + rank;
    double done = busy_[rank], cost = costs_.handle_up + costs_.combine_per_byte * segment_size(message.segment);
    for (auto i = candidate_.up_first_child[at]; i < candidate_.up_first_child[at + 1]; i++) {
        auto child = static_cast<size_t>(candidate_.up_children[static_cast<size_t>(i)]);
        done = std::max(done, up_arrival_[child * segments + segment]) + cost;
    }
    busy_[rank] = done;
    combined(message.dst, message.segment);
}

void TreeTime::combined(int32_t rank, int32_t segment) {
    auto r = static_cast<size_t>(rank);
    int32_t parent = candidate_.up_parent[static_cast<size_t>(base_ + rank)];
    if (parent < 0 && mode_ == Mode::both) {
        pass_down(rank, segment);
        return;
    }
    if (parent >= 0)
        send(rank, parent, segment, true);
    if (mode_ == Mode::reduce && ++segments_done_[r] == segments_)
        leaves(r, busy_[r]);
}

void TreeTime::pass_down(int32_t rank, int32_t segment) {
    auto r = static_cast<size_t>(rank), at = static_cast<size_t>(base_ + rank);
    for (auto i = candidate_.down_first_child[at]; i < candidate_.down_first_child[at + 1]; i++)
        send(rank, candidate_.down_children[static_cast<size_t>(i)], segment, false);
    if (++segments_done_[r] == segments_)
        leaves(r, busy_[r]);
}

} // namespace hopscope::paths
