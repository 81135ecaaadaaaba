// The Python module hopscope.native._causal. It takes dicts of numpy arrays, and computes without the GIL.
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <utility>

#include "paths/dataset_columns.h"
#include "recorded.h"

namespace hopscope::causal {
namespace {

namespace nb = nanobind;
using paths::Arguments;

Columns columns_of(const Arguments &arguments) {
    Columns c;
    c.lanes = paths::lanes_of(arguments);
    c.collectives = paths::collectives_of(arguments);
    c.collectives.second_group = arguments.column<int32_t>("collectives.second_group");
    c.calls = paths::calls_of(arguments, c.lanes, c.collectives);
    c.waited_until = arguments.column<int64_t>("calls.waited_until_ns");
    Arguments::same_length("calls", {c.calls.size(), c.waited_until.size});
    c.intervals = paths::intervals_of(arguments, c.lanes);
    c.hops = paths::hops_of(arguments, c.lanes, c.collectives);
    c.messages = paths::messages_of(arguments, "messages", c.lanes);
    c.hop_binding = arguments.column<int8_t>("hops.binding");
    c.message_binding = arguments.column<int8_t>("messages.binding");
    Arguments::same_length("collectives", {c.collectives.size(), c.collectives.second_group.size});
    Arguments::same_length("hops", {c.hops.size(), c.hop_binding.size});
    Arguments::same_length("messages", {c.messages.size(), c.message_binding.size});
    return c;
}

// A recorded run, whose times can be computed again with changes, any number of times.
class Run {
  public:
    explicit Run(const nb::dict &columns) {
        const Arguments arguments(columns);
        const Columns dataset = columns_of(arguments);
        nb::gil_scoped_release release;
        recording_ = recorded_run(dataset);
        for (int64_t time : recording_.recorded)
            recorded_ns_ = std::max(recorded_ns_, time);
    }

    int64_t recorded_ns() const {
        return recorded_ns_;
    }

    // Computes the run with changes. For each time of `cuts` (ascending), returns the time at which the changed run has
    // reached everything that the recorded run had reached at the cut; then the changed run's end. All in ns since the
    // start of the trace.
    std::vector<int64_t> times_with(const nb::dict &changes, const std::vector<int64_t> &cuts) {
        const Arguments arguments(changes);
        const Undo undo{*this}; // undoes the changes at the end, also if a change is wrong and this function throws
        auto has_entry = [&](const std::string &name) { return changes.contains(name.c_str()); };
        // All changes are optional.
        if (has_entry("computing.lane"))
            shorten_computing(arguments.column<int32_t>("computing.lane"),
                              arguments.column<int64_t>("computing.end_ns"),
                              arguments.column<int64_t>("computing.less_ns"));
        if (has_entry("intervals.row"))
            shorten_intervals(arguments.column<int64_t>("intervals.row"),
                              arguments.column<int64_t>("intervals.less_ns"));
        if (has_entry("calls.row"))
            shorten_calls(arguments.column<int64_t>("calls.row"), arguments.column<int64_t>("calls.less_ns"));
        for (auto [name, moments] : {std::pair{"hops", &recording_.hops}, {"messages", &recording_.messages}}) {
            const std::string table(name);
            if (has_entry(table + ".row"))
                shorten_transfers(*moments, arguments.column<int64_t>(table + ".row"),
                                  arguments.column<int64_t>(table + ".less_ns"));
            if (has_entry(table + ".moved_row"))
                move(*moments, arguments.column<int64_t>(table + ".moved_row"),
                     arguments.column<int64_t>(table + ".less_ns"));
            if (has_entry(table + ".prompt_row"))
                drop(moments->hold, arguments.column<int64_t>(table + ".prompt_row"));
            if (has_entry(table + ".early_row"))
                drop(moments->transfer, arguments.column<int64_t>(table + ".early_row"));
        }
        const double mpi_share = has_entry("mpi_share") ? nb::cast<double>(changes["mpi_share"]) : 1.0;
        nb::gil_scoped_release release;
        return times_at_cuts(cuts, mpi_share);
    }

  private:
    struct Undo {
        Run &run;
        ~Undo() {
            run.undo();
        }
    };
    void set_gap(Moment moment, int64_t gap) {
        old_gaps_.emplace_back(moment, recording_.graph.gap(moment));
        recording_.graph.gap(moment) = gap;
    }
    void set_lag(uint32_t edge, int64_t lag) {
        old_lags_.emplace_back(edge, recording_.graph.lag(edge));
        recording_.graph.lag(edge) = lag;
    }
    void undo() {
        for (auto old = old_gaps_.rbegin(); old != old_gaps_.rend(); ++old)
            recording_.graph.gap(old->first) = old->second;
        for (auto old = old_lags_.rbegin(); old != old_lags_.rend(); ++old)
            recording_.graph.lag(old->first) = old->second;
        old_gaps_.clear();
        old_lags_.clear();
    }
    void shorten_gap(Moment moment, int64_t reduction) {
        const int64_t gap = recording_.graph.gap(moment);
        if (gap > 0)
            set_gap(moment, std::max<int64_t>(0, gap - reduction));
    }

    void shorten_computing(const Column<int32_t> &lane, const Column<int64_t> &end, const Column<int64_t> &reduction) {
        Arguments::same_length("computing", {lane.size, end.size, reduction.size});
        Arguments::rows_of("computing.lane", lane, static_cast<int64_t>(recording_.lanes));
        for (size_t i = 0; i < lane.size; i++) {
            const auto &enters = recording_.enter[static_cast<size_t>(lane[i])];
            const auto enter = std::lower_bound(enters.begin(), enters.end(), std::pair{end[i], Moment{0}});
            if (enter != enters.end() && enter->first == end[i])
                shorten_gap(enter->second, reduction[i]);
        }
    }

    void shorten_intervals(const Column<int64_t> &row, const Column<int64_t> &reduction) {
        Arguments::same_length("intervals", {row.size, reduction.size});
        Arguments::rows_of("intervals.row", row, static_cast<int64_t>(recording_.interval_end.size()));
        for (size_t i = 0; i < row.size; i++)
            if (const Moment end = recording_.interval_end[static_cast<size_t>(row[i])]; end != NO_MOMENT)
                shorten_gap(end, reduction[i]);
    }

    void shorten_calls(const Column<int64_t> &row, const Column<int64_t> &reduction) {
        Arguments::same_length("calls", {row.size, reduction.size});
        Arguments::rows_of("calls.row", row, static_cast<int64_t>(recording_.call_end.size()));
        for (size_t i = 0; i < row.size; i++) {
            const auto [end, edge] = recording_.call_end[static_cast<size_t>(row[i])];
            if (end == NO_MOMENT)
                continue;
            shorten_gap(end, reduction[i]);
            if (edge != NO_EDGE)
                set_lag(edge, std::max<int64_t>(0, recording_.graph.lag(edge) - reduction[i]));
        }
    }

    void shorten_transfers(const MessageMoments &moments, const Column<int64_t> &row,
                           const Column<int64_t> &reduction) {
        Arguments::same_length("transfers", {row.size, reduction.size});
        Arguments::rows_of("row of a transfer", row, static_cast<int64_t>(moments.transfer.size()));
        shorten_edges(moments.transfer, row, reduction);
    }

    void shorten_edges(const std::vector<uint32_t> &edges, const Column<int64_t> &row,
                       const Column<int64_t> &reduction) {
        for (size_t i = 0; i < row.size; i++)
            if (const uint32_t edge = edges[static_cast<size_t>(row[i])]; edge != NO_EDGE)
                set_lag(edge, std::max<int64_t>(0, recording_.graph.lag(edge) - reduction[i]));
    }

    // Shortens messages whose ranks move to other hosts. A message is then shorter at its sender and at its receiver.
    void move(const MessageMoments &moments, const Column<int64_t> &row, const Column<int64_t> &reduction) {
        shorten_transfers(moments, row, reduction);
        shorten_edges(moments.hold, row, reduction);
        shorten_edges(moments.sending, row, reduction);
        for (size_t i = 0; i < row.size; i++) {
            const auto message = static_cast<size_t>(row[i]);
            // If the message travels only when its receive is posted, the transfer is part of the receiver's gap.
            if (moments.posted[message] != NO_MOMENT && moments.received[message] != NO_MOMENT)
                shorten_gap(moments.received[message], reduction[i]);
        }
    }

    void drop(const std::vector<uint32_t> &edges, const Column<int64_t> &row) {
        Arguments::rows_of("row of a message", row, static_cast<int64_t>(edges.size()));
        for (size_t i = 0; i < row.size; i++)
            if (const uint32_t edge = edges[static_cast<size_t>(row[i])]; edge != NO_EDGE)
                set_lag(edge, Graph::MINUS_INFINITY);
    }

    std::vector<int64_t> times_at_cuts(const std::vector<int64_t> &cuts, double mpi_share) const {
        std::vector<int64_t> times, progress;
        recording_.graph.run(recording_.lanes, mpi_share, times);
        int64_t latest = 0;
        for (size_t moment = 0; moment < times.size(); moment++) {
            while (progress.size() < cuts.size() && cuts[progress.size()] < recording_.recorded[moment])
                progress.push_back(latest);
            latest = std::max(latest, times[moment]);
        }
        progress.resize(cuts.size() + 1, latest);
        return progress;
    }

    Recorded recording_;
    int64_t recorded_ns_ = 0;
    std::vector<std::pair<Moment, int64_t>> old_gaps_;
    std::vector<std::pair<uint32_t, int64_t>> old_lags_;
};

} // namespace
} // namespace hopscope::causal

NB_MODULE(_causal, m) {
    using hopscope::causal::Run;
    m.doc() = "Runs a recorded run again with some of its causes changed.";
    nanobind::class_<Run>(m, "Run",
                          "A recorded run. columns: the arrays that hopscope.dataset.path_columns makes, and the "
                          "bindings of hops and messages.")
        .def(nanobind::init<const nanobind::dict &>(), nanobind::arg("columns"))
        .def_prop_ro("recorded_ns", &Run::recorded_ns, "The end of the last lane in the recorded run, in ns.")
        .def("times_with", &Run::times_with, nanobind::arg("changes"), nanobind::arg("cuts"),
             "Computes the run with changes. Returns, for each of `cuts` (ascending), the time at which the changed "
             "run has reached everything that the recorded run had reached at the cut; then its end. All times are in "
             "ns. Changes are arrays, all optional. computing (lane, end_ns, less_ns): the lane computes less_ns less "
             "before the call that it enters at end_ns. intervals, calls, hops and messages (row, less_ns): the row "
             "takes less_ns less. hops and messages (prompt_row): the row's sender no longer waits for the receive; "
             "(early_row): its receiver no longer waits for it; (moved_row, less_ns): it takes less_ns less at both "
             "ends. mpi_share, a number: the factor for each rank's own time in calls that communicate.");
}
