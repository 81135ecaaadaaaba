/* The trees on which collectives ran, as their hops show them: the table `trees`. */
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>

#include "hops.h"
#include "words.h"

namespace hopscope {

class Trees {
  public:
    struct Node {
        int32_t parent = kNull32;
        int32_t child_order = 0;
    };
    using Nodes = std::map<int32_t, Node>; /* by rank of the communicator */

    /* Examines a collective with its hops. Only the first complete one per communicator, tree, function and root
     * counts. */
    void look_at(const Trace &trace, const Collective &collective, const Hop *hops, size_t count);
    std::shared_ptr<Table> table(const std::shared_ptr<const Words> &words) const;

  private:
    using Key = std::tuple<int32_t, std::string, int32_t, hop_phase>; /* comm, tree, root, phase */

    std::map<Key, Nodes> trees_;
    std::set<std::tuple<int32_t, const Shadow *, std::string, int64_t>> done_;
};

} // namespace hopscope
