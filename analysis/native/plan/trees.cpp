/* Builds trees over ranks with the collector's own code. */
#include <algorithm>
#include <stdexcept>

#include "plan.h"

namespace hopscope::plan {

namespace {

// Replaces ids by numbers below the number of ranks, which tree.h requires; equal ids stay equal.
void number(std::vector<int> &ids) {
    auto size = static_cast<int>(ids.size());
    if (std::all_of(ids.begin(), ids.end(), [size](int id) { return id >= 0 && id < size; }))
        return;
    std::vector<int> scratch(ids.size());
    tree_members_number(ids.data(), size, scratch.data());
}

} // namespace

Members::Members(std::vector<int> hosts, std::vector<int> clusters)
    : hosts_(std::move(hosts)), clusters_(std::move(clusters)) {
    if (hosts_.empty() || hosts_.size() != clusters_.size())
        throw std::invalid_argument("hosts and clusters need one number for each rank");
    number(hosts_);
    number(clusters_);
}

Places places_of(const tree_spec &spec, Members &members, int root, tree_direction direction) {
    int size = members.size();
    if (spec.size && spec.size != size)
        throw std::invalid_argument("the tree is for " + std::to_string(spec.size) + " ranks, not " +
                                    std::to_string(size));
    if (root < 0 || root >= size)
        throw std::invalid_argument("there is no rank " + std::to_string(root) + " to be the root of " +
                                    std::to_string(size));
    Places placements;
    tree_members view = members.view();
    std::vector<int> scratch(2 * static_cast<size_t>(size)), room(static_cast<size_t>(size));
    placements.parent.reserve(static_cast<size_t>(size));
    placements.first_child.push_back(0);
    for (int rank = 0; rank < size; rank++) {
        tree_position place = {-1, 0, room.data()};
        tree_position_of(&spec, &view, rank, root, direction, scratch.data(), &place);
        placements.parent.push_back(place.parent);
        placements.children.insert(placements.children.end(), room.data(), room.data() + place.child_count);
        placements.first_child.push_back(static_cast<int64_t>(placements.children.size()));
    }
    return placements;
}

} // namespace hopscope::plan
