// The collector's plan/ (C) for C++: tree files and trees as objects that free themselves.
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
    // Any numbers are allowed, if equal numbers mean the same host or cluster. Throws std::invalid_argument.
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

// The parent and the children of every rank in one tree. A rank's children are children[first_child[rank]] up to
// children[first_child[rank + 1]].
struct Places {
    std::vector<int> parent, children;
    std::vector<int64_t> first_child;
};

// Throws std::invalid_argument if the tree or the root does not fit the members.
Places places_of(const tree_spec &spec, Members &members, int root, tree_direction direction);

} // namespace hopscope::plan
