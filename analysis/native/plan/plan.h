// Wraps the collector's C code for tree files and trees (collector/src/plan) for C++.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

extern "C" {
#include "plan/algorithm.h"
#include "plan/request.h"
#include "plan/tree_file.h"
#include "plan/tree_name.h"
#include "plan/tree_spec_file.h"
}

namespace hopscope::plan {

struct Release {
    void operator()(tree_plan *plan) const {
        tree_plan_free(plan);
    }
    void operator()(tree_spec *spec) const {
        tree_spec_free(spec);
    }
};

// The ranks of a communicator: the host and the cluster of each.
class Members {
  public:
    // hosts, clusters: any numbers, one per rank; equal numbers mean the same host or cluster. Throws
    // std::invalid_argument if the lists are empty or of different lengths.
    Members(std::vector<int> hosts, std::vector<int> clusters);
    int size() const {
        return static_cast<int>(hosts_.size());
    }
    tree_members view() {
        return {size(), hosts_.data(), clusters_.data()};
    }

  private:
    std::vector<int> hosts_, clusters_;
};

// The parent and the children of every rank in one tree. A rank's children are children[first_child[rank]] ..
// children[first_child[rank + 1] - 1]. The root's parent is -1.
struct Places {
    std::vector<int> parent, children;
    std::vector<int64_t> first_child;
};

// Builds a tree over the members. Throws std::invalid_argument if the tree or the root does not fit the members.
Places places_of(const tree_spec &spec, Members &members, int root, tree_direction direction);

} // namespace hopscope::plan
