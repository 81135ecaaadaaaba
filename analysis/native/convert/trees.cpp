/* Parents and the order of children, per tree, communicator, root and phase. */
#include "trees.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <vector>

namespace hopscope {
namespace {

struct Node {
    int32_t parent = kNull32;
    int32_t child_order = 0;
};

using TreeKey = std::tuple<int32_t, std::string, int32_t, Phase>; /* comm, tree, root, phase */
using Nodes = std::map<int32_t, Node>;                            /* by rank of the communicator */

/* The edges of one phase of one collective; the root by number, or -1 where they are no one tree. */
int32_t nodes_of(const Trace &trace, const std::vector<const Hop *> &hops, Phase phase, Nodes &nodes) {
    struct Edge {
        int64_t time;
        uint64_t order;
        int32_t child, parent;
    };
    std::map<int32_t, Edge> edges; /* by child: its first hop */
    std::set<int32_t> ranks;
    for (const Hop *hop : hops) {
        if (hop->phase != phase)
            continue;
        const int32_t src = trace.comms->rank_in(hop->comm, hop->src), dst = trace.comms->rank_in(hop->comm, hop->dst);
        const bool up = phase == Phase::Up;
        /* Pointers into one vector keep the order in which a location sent. */
        Edge edge{up ? hop->receive->post : hop->send->begin, up ? hop->receive->order : 0, up ? src : dst,
                  up ? dst : src};
        auto [place, fresh] = edges.try_emplace(edge.child, edge);
        if (!fresh && std::tie(edge.time, edge.order) < std::tie(place->second.time, place->second.order))
            place->second = edge;
        ranks.insert({src, dst});
    }
    int32_t root = -1;
    for (int32_t rank : ranks)
        if (!edges.count(rank)) {
            if (root >= 0)
                return -1;
            root = rank;
        }
    std::vector<Edge> in_order;
    for (const auto &[child, edge] : edges)
        in_order.push_back(edge);
    std::sort(in_order.begin(), in_order.end(), [](const Edge &a, const Edge &b) {
        return std::tie(a.parent, a.time, a.order, a.child) < std::tie(b.parent, b.time, b.order, b.child);
    });
    std::map<int32_t, int32_t> children;
    for (const Edge &edge : in_order)
        nodes[edge.child] = {edge.parent, children[edge.parent]++};
    if (root >= 0)
        nodes[root] = {};
    return root;
}

} // namespace

std::shared_ptr<Table> trees_table(const Trace &trace, const Collectives &collectives, const Hops &hops) {
    std::map<TreeKey, Nodes> trees;
    /* What distinguishes trees before their edges are looked at, so that most collectives are passed over. */
    std::set<std::tuple<int32_t, const Shadow *, std::string, int64_t>> done;
    for (size_t begin = 0, end; begin < hops.all.size(); begin = end) {
        const int64_t id = hops.all[begin].collective;
        end = begin;
        std::vector<const Hop *> of_collective;
        while (end < hops.all.size() && hops.all[end].collective == id)
            of_collective.push_back(&hops.all[end++]);
        const Collective &collective = collectives.all[static_cast<size_t>(id)];
        const Shadow *shadow = of_collective.front()->shadow;
        if (!collective.complete || shadow->native)
            continue;
        const Call &call = collectives.calls[collective.first_call];
        const CallRecord &record = trace.locations[call.location].calls[call.index];
        auto region = trace.definitions.regions.find(record.region);
        const std::string op = region == trace.definitions.regions.end() ? "" : region->second.name;
        if (!done.insert({collective.comm, shadow, op, static_cast<int64_t>(record.root)}).second)
            continue;
        for (Phase phase : {Phase::Up, Phase::Down}) {
            Nodes nodes;
            const int32_t root = nodes_of(trace, of_collective, phase, nodes);
            if (root >= 0)
                trees.try_emplace({collective.comm, shadow->tree, root, phase}, std::move(nodes));
        }
    }
    auto table = std::make_shared<Table>();
    auto &tree = table->string("tree");
    auto &comm = table->int32("comm");
    auto &root = table->int32("root");
    auto &phase = table->string("phase");
    auto &rank = table->int32("rank");
    auto &parent = table->int32("parent", true);
    auto &child_order = table->int32("child_order");
    /* `down` sorts before `up` in the table's order. */
    std::vector<std::pair<TreeKey, const Nodes *>> rows;
    for (const auto &[key, nodes] : trees)
        rows.push_back({key, &nodes});
    std::sort(rows.begin(), rows.end(), [](const auto &a, const auto &b) {
        const auto &[a_comm, a_tree, a_root, a_phase] = a.first;
        const auto &[b_comm, b_tree, b_root, b_phase] = b.first;
        return std::tie(a_comm, a_tree, a_root, b_phase) < std::tie(b_comm, b_tree, b_root, a_phase);
    });
    for (const auto &[key, nodes] : rows)
        for (const auto &[node, place] : *nodes) {
            tree.add(std::get<1>(key));
            comm.push_back(std::get<0>(key));
            root.push_back(std::get<2>(key));
            phase.add(std::get<3>(key) == Phase::Up ? "up" : "down");
            rank.push_back(node);
            parent.push_back(place.parent);
            child_order.push_back(place.child_order);
        }
    return table;
}

} // namespace hopscope
