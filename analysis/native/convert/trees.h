/* The trees that collectives ran on, as their hops show them: the table `trees`. */
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

    /* A collective with its hops. Of those alike in communicator, tree, function and root the first complete one is
     * looked at. */
    void look_at(const Trace &trace, const Collective &collective, const Hop *hops, size_t count);
    std::shared_ptr<Table> table(const std::shared_ptr<const Words> &words) const;

  private:
    using Key = std::tuple<int32_t, std::string, int32_t, Phase>; /* comm, tree, root, phase */

    std::map<Key, Nodes> trees_;
    std::set<std::tuple<int32_t, const Shadow *, std::string, int64_t>> done_;
};

} // namespace hopscope
