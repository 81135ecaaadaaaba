// The Python module hopscope.native._paths: properties of MPI functions, sums of times, and due times of messages. It
// takes dicts of numpy arrays and returns numpy arrays.
#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "arguments.h"
#include "bins.h"
#include "functions.h"
#include "network.h"

namespace hopscope::paths {
namespace {

Costs costs_of(const nb::dict &costs) {
    const Arguments arguments(costs);
    auto number = [&](const char *name) { return nb::cast<double>(costs[name]); };
    Costs c;
    c.latency = arguments.column<double>("latency_ns");
    c.per_byte = arguments.column<double>("per_byte_ns");
    c.interface_message = number("interface_message_ns");
    c.interface_per_byte = number("interface_per_byte_ns");
    c.rank_message = number("rank_message_ns");
    c.rank_per_byte = number("rank_per_byte_ns");
    c.cut_through = nb::cast<bool>(costs["cut_through"]);
    c.hosts = nb::cast<size_t>(costs["hosts"]);
    c.clusters = nb::cast<size_t>(costs["clusters"]);
    c.cluster = arguments.column<int32_t>("cluster");
    c.shared_per_byte = arguments.column<double>("shared_per_byte_ns");
    c.gateway_from = arguments.column<int32_t>("gateway_from");
    c.gateway_to = arguments.column<int32_t>("gateway_to");
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
    const Arguments arguments(hops);
    const auto sent = arguments.column<double>("sent_ns"), ready = arguments.column<double>("ready_ns"),
               bytes = arguments.column<double>("bytes");
    const auto src = arguments.column<int64_t>("src"), dst = arguments.column<int64_t>("dst");
    const auto src_host = arguments.column<int64_t>("src_host"), dst_host = arguments.column<int64_t>("dst_host");
    Arguments::same_length("hops",
                           {sent.size, ready.size, bytes.size, src.size, dst.size, src_host.size, dst_host.size});
    for (const auto &[name, column] : {std::pair{"src", src}, std::pair{"dst", dst}})
        Arguments::rows_of(name, column, std::numeric_limits<int32_t>::max());
    for (const auto &[name, column] : {std::pair{"src_host", src_host}, std::pair{"dst_host", dst_host}})
        Arguments::rows_of(name, column, static_cast<int64_t>(time.hosts));
    std::vector<Message> messages(sent.size);
    for (size_t i = 0; i < sent.size; i++)
        messages[i] = {static_cast<int32_t>(src[i]),
                       static_cast<int32_t>(dst[i]),
                       static_cast<size_t>(src_host[i]),
                       static_cast<size_t>(dst_host[i]),
                       bytes[i],
                       ready[i],
                       i};
    return to_numpy(due_times(time, messages, sent));
}

nb::object sum_times(const nb::dict &spans, const nb::dict &waits, const nb::dict &lanes, size_t rows, int64_t origin,
                     int32_t level, size_t columns) {
    const Arguments span_columns(spans), wait_columns(waits), lane_columns(lanes);
    const auto row = lane_columns.column<int32_t>("row");
    const auto lane = span_columns.column<int32_t>("lane");
    const auto begin = span_columns.column<int64_t>("begin_ns"), end = span_columns.column<int64_t>("end_ns");
    const auto category = span_columns.column<int8_t>("category"), has_hops = span_columns.column<int8_t>("has_hops");
    const auto wait_lane = wait_columns.column<int32_t>("lane");
    const auto wait_begin = wait_columns.column<int64_t>("begin_ns"), wait_end = wait_columns.column<int64_t>("end_ns");
    const auto link = wait_columns.column<int8_t>("link");
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
    std::vector<Bins> bins(rows, Bins(origin, level, columns));
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
    std::vector<int64_t> totals(kCategories * rows * columns, 0);
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < kCategories; c++)
            std::copy(bins[r][c].begin(), bins[r][c].end(),
                      totals.begin() + static_cast<ptrdiff_t>((c * rows + r) * columns));
    return to_numpy(std::move(totals));
}

} // namespace
} // namespace hopscope::paths

NB_MODULE(_paths, m) {
    m.doc() = "Properties of MPI functions, sums of times, and due times of messages on an emulated machine.";
    m.def(
        "mpi_functions",
        [] {
            namespace nb = nanobind;
            nb::list rows;
            auto word = [](const char *text) -> nb::object { return text ? nb::object(nb::str(text)) : nb::none(); };
            for (const hopscope::paths::Function &function : hopscope::paths::functions())
                rows.append(
                    nb::make_tuple(function.name, function.kind_word, word(function.flow), word(function.moves)));
            return rows;
        },
        "A list of (name, kind, flow, moves), one for every form of every function in schemas/mpi_functions.h.");
    m.def(
        "leads_of", [](const std::string &function) { return static_cast<int>(hopscope::paths::leads_of(function)); },
        nanobind::arg("function"),
        "The direction of a critical path through a call without hops: enum Leads of columns.h.");
    m.def(
        "library_of",
        [](const std::string &function) { return static_cast<int>(hopscope::paths::library_of(function)); },
        nanobind::arg("function"), "The category of time in a call without hops: a code of CATEGORIES.");
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
        "The number of the link class of two ranks, see schemas/links.h.");
    m.def("returns_early", &hopscope::paths::returns_early, nanobind::arg("function"),
          "True if the rank waits for the others in a later call, as after MPI_Ibcast.");
    m.def("sum_times", &hopscope::paths::sum_times, nanobind::arg("spans"), nanobind::arg("waits"),
          nanobind::arg("lanes"), nanobind::arg("rows"), nanobind::arg("begin"), nanobind::arg("level"),
          nanobind::arg("columns"),
          "Sums time in ns by category, row and bin, and returns one array in this order. spans: lane, begin_ns, "
          "end_ns, category and has_hops, sorted by lane and begin, an outer span before its inner ones. waits: lane, "
          "begin_ns, end_ns and link. lanes: the row to which each lane's time belongs. columns: the number of bins of "
          "2^level ns, from begin on.");
    m.def("due_times", &hopscope::paths::due_times_of, nanobind::arg("costs"), nanobind::arg("hops"),
          "The due time, in ns, of each hop at its receiver, on a machine with these costs. network.h explains the "
          "arrays.");
}
