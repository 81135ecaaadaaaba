/* Finds parents and the order of children, per tree, communicator, root and phase. */
#include "trees.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <vector>

namespace hopscope {
namespace {

/* Collects the edges of one phase of one collective. Returns the root's number, or -1 if they do not form one tree. */
int32_t nodes_of(const Trace &trace, int32_t comm, const Hop *hops, size_t count, hop_phase phase,
                 Trees::Nodes &nodes) {
    struct Edge {
        int64_t time;
        uint64_t order;
        int32_t child, parent;
    };
    std::map<int32_t, Edge> edges; /* by child: its first hop */
    std::set<int32_t> ranks;
    for (const Hop *hop = hops; hop != hops + count; hop++) {
        if (hop->phase != phase)
            continue;
        const int32_t src = trace.comms->rank_in(comm, hop->src), dst = trace.comms->rank_in(comm, hop->dst);
        const bool up = phase == PHASE_UP;
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

void Trees::look_at(const Trace &trace, const Collective &collective, const Hop *hops, size_t count) {
    if (count == 0 || hops->shadow->native)
        return;
    const Call &call = collective.calls.front();
    const CallRecord &record = trace.locations[call.location].calls[call.index];
    const std::string &op = trace.definitions->region(record.region).name;
    const auto kind = std::make_tuple(collective.comm, hops->shadow, op, static_cast<int64_t>(record.root));
    if (done_.count(kind))
        return;
    size_t left = 0;
    for (const Call &member : collective.calls) {
        const CallRecord &its = trace.locations[member.location].calls[member.index];
        left += (its.nonblocking ? its.complete : its.leave) != kNull64;
    }
    if (left != trace.comms->all()[static_cast<size_t>(collective.comm)].members.size())
        return;
    done_.insert(kind);
    for (hop_phase phase : {PHASE_UP, PHASE_DOWN}) {
        Nodes nodes;
        const int32_t root = nodes_of(trace, collective.comm, hops, count, phase, nodes);
        if (root >= 0)
            trees_.try_emplace({collective.comm, hops->shadow->tree, root, phase}, std::move(nodes));
    }
}

std::shared_ptr<Table> Trees::table(const std::shared_ptr<const Words> &words) const {
    auto table = std::make_shared<Table>(words);
    auto &tree = table->string("tree");
    auto &comm = table->int32("comm");
    auto &root = table->int32("root");
    auto &phase = table->string("phase");
    auto &rank = table->int32("rank");
    auto &parent = table->int32("parent", true);
    auto &child_order = table->int32("child_order");
    /* `down` sorts before `up` in the table's order. */
    std::vector<std::pair<Key, const Nodes *>> rows;
    for (const auto &[key, nodes] : trees_)
        rows.push_back({key, &nodes});
    std::sort(rows.begin(), rows.end(), [](const auto &a, const auto &b) {
        const auto &[a_comm, a_tree, a_root, a_phase] = a.first;
        const auto &[b_comm, b_tree, b_root, b_phase] = b.first;
        return std::tie(a_comm, a_tree, a_root, b_phase) < std::tie(b_comm, b_tree, b_root, a_phase);
    });
    for (const auto &[key, nodes] : rows)
        for (const auto &[node, place] : *nodes) {
            tree.push_back(words->find(std::get<1>(key)));
            comm.push_back(std::get<0>(key));
            root.push_back(std::get<2>(key));
            phase.push_back(words->find(phase_words[std::get<3>(key)]));
            rank.push_back(node);
            parent.push_back(place.parent);
            child_order.push_back(place.child_order);
        }
    return table;
}

} // namespace hopscope
