// hopscope._paths: the interface to Python. Dicts of numpy arrays in and out; the work runs without the GIL.
#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "arguments.h"
#include "bins.h"
#include "functions.h"
#include "network.h"
#include "replay.h"

namespace hopscope::paths {
namespace {

Program program_of(const Arguments &in) {
    Program p;
    p.first_op = in.column<int64_t>("first_op");
    p.op = in.column<int8_t>("op");
    p.ref = in.column<int64_t>("ref");
    p.gap = in.column<int64_t>("gap_ns");
    p.hold = in.column<int64_t>("hold_ns");
    p.slot = in.column<int64_t>("slot");
    p.host = in.column<int32_t>("host");
    p.transit = in.column<int64_t>("transit_ns");
    p.first_member = in.column<int64_t>("first_member");
    p.member = in.column<int32_t>("member");
    p.own_time = in.column<int64_t>("own_time_ns");
    p.mode = in.column<int8_t>("mode");
    p.leads = in.column<int8_t>("leads");
    p.root_position = in.column<int32_t>("root_position");
    p.plan = in.column<int32_t>("plan");
    p.bytes = in.column<int64_t>("bytes");
    Arguments::same_length("program operations", {p.op.size, p.ref.size, p.gap.size, p.hold.size, p.slot.size});
    Arguments::same_length("program lanes", {p.lanes() + 1, p.first_op.size});
    Arguments::same_length("program collectives", {p.collectives() + 1, p.first_member.size, p.leads.size + 1,
                                                   p.root_position.size + 1, p.plan.size + 1, p.bytes.size + 1});
    Arguments::same_length("program members", {p.member.size, p.own_time.size});
    Arguments::rows_of("first_op", p.first_op, static_cast<int64_t>(p.op.size) + 1);
    Arguments::rows_of("ref", p.ref, static_cast<int64_t>(std::max(p.transit.size, p.collectives())));
    Arguments::rows_of("slot", p.slot, std::max<int64_t>(1, static_cast<int64_t>(p.member.size)));
    Arguments::rows_of("member", p.member, static_cast<int64_t>(p.lanes()));
    Arguments::rows_of("first_member", p.first_member, static_cast<int64_t>(p.member.size) + 1);
    return p;
}

Costs costs_of(const nb::dict &costs) {
    const Arguments in(costs);
    auto number = [&](const char *name) { return nb::cast<double>(costs[name]); };
    Costs c;
    c.latency = in.column<double>("latency_ns");
    c.per_byte = in.column<double>("per_byte_ns");
    c.enter = number("enter_ns");
    c.handle_up = number("handle_up_ns");
    c.combine_per_byte = number("combine_per_byte_ns");
    c.handle_down = number("handle_down_ns");
    c.send = number("send_ns");
    c.leave = number("leave_ns");
    c.interface_message = number("interface_message_ns");
    c.interface_per_byte = number("interface_per_byte_ns");
    c.rank_message = number("rank_message_ns");
    c.rank_per_byte = number("rank_per_byte_ns");
    c.cut_through = nb::cast<bool>(costs["cut_through"]);
    c.hosts = nb::cast<size_t>(costs["hosts"]);
    c.clusters = nb::cast<size_t>(costs["clusters"]);
    c.cluster = in.column<int32_t>("cluster");
    c.shared_per_byte = in.column<double>("shared_per_byte_ns");
    c.gateway_from = in.column<int32_t>("gateway_from");
    c.gateway_to = in.column<int32_t>("gateway_to");
    Arguments::same_length("costs by pairs of hosts", {c.hosts * c.hosts, c.latency.size, c.per_byte.size});
    Arguments::same_length("costs by hosts", {c.hosts, c.cluster.size});
    Arguments::same_length("costs by pairs of clusters",
                           {c.clusters * c.clusters, c.shared_per_byte.size, c.gateway_from.size, c.gateway_to.size});
    if (c.clusters > 0)
        Arguments::rows_of("cluster", c.cluster, static_cast<int64_t>(c.clusters));
    Arguments::rows_of("gateway_from", c.gateway_from, static_cast<int64_t>(c.hosts), -1);
    Arguments::rows_of("gateway_to", c.gateway_to, static_cast<int64_t>(c.hosts), -1);
    return c;
}

nb::object due_times_of(const nb::dict &costs, const nb::dict &hops) {
    const Costs time = costs_of(costs);
    const Arguments in(hops);
    const auto sent = in.column<double>("sent_ns"), ready = in.column<double>("ready_ns"),
               bytes = in.column<double>("bytes");
    const auto src = in.column<int64_t>("src"), dst = in.column<int64_t>("dst");
    const auto from = in.column<int64_t>("src_host"), to = in.column<int64_t>("dst_host");
    Arguments::same_length("hops", {sent.size, ready.size, bytes.size, src.size, dst.size, from.size, to.size});
    for (const auto &[name, column] : {std::pair{"src", src}, std::pair{"dst", dst}})
        Arguments::rows_of(name, column, std::numeric_limits<int32_t>::max());
    for (const auto &[name, column] : {std::pair{"src_host", from}, std::pair{"dst_host", to}})
        Arguments::rows_of(name, column, static_cast<int64_t>(time.hosts));
    std::vector<Message> messages(sent.size);
    for (size_t i = 0; i < sent.size; i++)
        messages[i] = {static_cast<int32_t>(src[i]),
                       static_cast<int32_t>(dst[i]),
                       static_cast<size_t>(from[i]),
                       static_cast<size_t>(to[i]),
                       bytes[i],
                       ready[i],
                       static_cast<int32_t>(i),
                       false};
    return to_numpy(due_times(time, messages, sent));
}

nb::object sum_times(const nb::dict &spans, const nb::dict &waits, const nb::dict &lanes, size_t rows, int64_t from,
                     int32_t level, size_t columns) {
    const Arguments in(spans), between(waits), of(lanes);
    const auto row = of.column<int32_t>("row");
    const auto lane = in.column<int32_t>("lane");
    const auto begin = in.column<int64_t>("begin_ns"), end = in.column<int64_t>("end_ns");
    const auto category = in.column<int8_t>("category"), has_hops = in.column<int8_t>("has_hops");
    const auto wait_lane = between.column<int32_t>("lane");
    const auto wait_begin = between.column<int64_t>("begin_ns"), wait_end = between.column<int64_t>("end_ns");
    const auto link = between.column<int8_t>("link");
    Arguments::same_length("spans", {lane.size, begin.size, end.size, category.size, has_hops.size});
    Arguments::same_length("waits", {wait_lane.size, wait_begin.size, wait_end.size, link.size});
    Arguments::rows_of("row", row, static_cast<int64_t>(rows));
    Arguments::rows_of("lane", lane, static_cast<int64_t>(row.size));
    Arguments::rows_of("lane of a wait", wait_lane, static_cast<int64_t>(row.size));
    Arguments::rows_of("category", category, static_cast<int64_t>(kCategories));
    Arguments::rows_of("link", link, LINK_CLASS_COUNT);
    std::vector<HopTime> times(link.size);
    for (size_t i = 0; i < times.size(); i++)
        times[i] = {wait_begin[i], wait_end[i], wait_lane[i], link[i]};
    std::sort(times.begin(), times.end(),
              [](const HopTime &a, const HopTime &b) { return a.lane != b.lane ? a.lane < b.lane : a < b; });
    std::vector<Bins> bins(rows, Bins(from, level, columns));
    auto first_wait = times.begin();
    for (size_t i = 0; i < lane.size;) {
        const int32_t its_lane = lane[i];
        auto not_on = [&](const HopTime &time) { return time.lane > its_lane; };
        first_wait = std::find_if(first_wait, times.end(), [&](const HopTime &time) { return time.lane >= its_lane; });
        const auto last_wait = std::find_if(first_wait, times.end(), not_on);
        LaneTimes sums(bins[static_cast<size_t>(row[static_cast<size_t>(its_lane)])],
                       times.data() + (first_wait - times.begin()), times.data() + (last_wait - times.begin()));
        for (; i < lane.size && lane[i] == its_lane; i++)
            sums.add({begin[i], end[i], static_cast<Category>(category[i]), has_hops[i] != 0});
        first_wait = last_wait;
    }
    std::vector<int64_t> all(kCategories * rows * columns, 0);
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < kCategories; c++)
            std::copy(bins[r][c].begin(), bins[r][c].end(),
                      all.begin() + static_cast<ptrdiff_t>((c * rows + r) * columns));
    return to_numpy(std::move(all));
}

nb::tuple replay_program(const nb::dict &program, const nb::dict &candidate, const nb::dict &costs) {
    Program p = program_of(Arguments(program));
    Arguments c(candidate);
    Candidate trees;
    trees.first_rank = c.column<int64_t>("first_rank");
    trees.up_parent = c.column<int32_t>("up_parent");
    trees.down_parent = c.column<int32_t>("down_parent");
    trees.up_first_child = c.column<int64_t>("up_first_child");
    trees.down_first_child = c.column<int64_t>("down_first_child");
    trees.up_children = c.column<int32_t>("up_children");
    trees.down_children = c.column<int32_t>("down_children");
    trees.segment_bytes = nb::cast<int64_t>(candidate["segment_bytes"]);
    const Costs time = costs_of(costs);
    Arguments::rows_of("host", p.host, static_cast<int64_t>(time.hosts));
    Arguments::rows_of("plan", p.plan, std::max<int64_t>(1, static_cast<int64_t>(trees.first_rank.size) - 1));
    auto ranks = static_cast<int64_t>(trees.up_parent.size);
    Arguments::rows_of("first_rank", trees.first_rank, ranks + 1);
    Arguments::same_length("candidate", {trees.up_parent.size, trees.down_parent.size, trees.up_first_child.size - 1,
                                         trees.down_first_child.size - 1});
    Arguments::rows_of("up_parent", trees.up_parent, ranks, -1);
    Arguments::rows_of("down_parent", trees.down_parent, ranks, -1);
    Arguments::rows_of("up_children", trees.up_children, ranks);
    Arguments::rows_of("down_children", trees.down_children, ranks);
    Replayed replayed;
    {
        nb::gil_scoped_release release;
        replayed = replay(p, trees, time);
    }
    return nb::make_tuple(to_numpy(std::move(replayed.last_enter)), to_numpy(std::move(replayed.last_leave)),
                          replayed.finished);
}

} // namespace
} // namespace hopscope::paths

NB_MODULE(_paths, m) {
    m.doc() = "Where MPI functions lead, and replays of a run over other trees.";
    m.def(
        "mpi_functions",
        [] {
            namespace nb = nanobind;
            nb::list rows;
            auto word = [](const char *text) -> nb::object { return text ? nb::object(nb::str(text)) : nb::none(); };
            for (const hopscope::paths::Function &one : hopscope::paths::functions())
                rows.append(nb::make_tuple(one.name, one.kind_word, word(one.flow), word(one.moves)));
            return rows;
        },
        "Name, kind, flow and moves of every function that schemas/mpi_functions.h lists, in all its forms.");
    m.def(
        "leads_of", [](const std::string &function) { return static_cast<int>(hopscope::paths::leads_of(function)); },
        nanobind::arg("function"), "Where the library leads without hops: enum Leads of columns.h.");
    nanobind::list links;
#define LINK(id, word, condition) links.append(nanobind::make_tuple(#word, #condition));
    LINK_CLASSES(LINK)
#undef LINK
    m.attr("LINK_CLASSES") = nanobind::tuple(links);
    nanobind::dict words, vocabulary;
#define WORD(word, ...) vocabulary[#word] = std::get<0>(std::make_tuple(__VA_ARGS__));
#define VOCABULARY(name, list)                                                                                         \
    vocabulary = nanobind::dict();                                                                                     \
    list(WORD) words[#name] = vocabulary;
    VOCABULARIES(VOCABULARY)
#undef WORD
#undef VOCABULARY
    m.attr("WORDS") = words;
    m.def(
        "link_class",
        [](int one_rank, int one_host, int one_cluster, int other_rank, int other_host, int other_cluster) {
            return static_cast<int>(
                link_class_of(one_rank, one_host, one_cluster, other_rank, other_host, other_cluster));
        },
        "Number of the link class of two ranks: schemas/links.h.");
    m.def("returns_early", &hopscope::paths::returns_early, nanobind::arg("function"),
          "True where the rank waits for the others in another call than this one.");
    m.def("replay", &hopscope::paths::replay_program, nanobind::arg("program"), nanobind::arg("candidate"),
          nanobind::arg("costs"),
          "Replays a program over a candidate's trees: last enter and last leave of every collective in ns of the "
          "replay, and whether every lane came to its end. Arrays and numbers as in replay.h.");
    m.def(
        "sum_times", &hopscope::paths::sum_times, nanobind::arg("spans"), nanobind::arg("waits"),
        nanobind::arg("lanes"), nanobind::arg("rows"), nanobind::arg("begin"), nanobind::arg("level"),
        nanobind::arg("columns"),
        "Time in ns by category, row and column, as one array in this order. Spans (lane, begin_ns, end_ns, category, "
        "has_hops) in order of lane and begin, an outer one first; waits (lane, begin_ns, end_ns, link); lanes: row.");
    m.def("due_times", &hopscope::paths::due_times_of, nanobind::arg("costs"), nanobind::arg("hops"),
          "When each of these messages was due at its receiver, by the costs of a replay: arrays as in network.h.");
}
