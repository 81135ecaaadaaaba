// _drawn_paths: runs the walks of a conversion over arrays, for traces that tests draw. It is not part of the product.
#include <limits>
#include <vector>

#include "paths/dataset_columns.h"
#include "paths/run_walk.h"

namespace hopscope::paths {
namespace {

// All inputs of a walk, as one piece of a trace.
struct Trace {
    Messages hops, messages;
    Collectives collectives;
    std::vector<int32_t> no_groups; // drawings have no intercommunicators
    Calls calls;
    Intervals intervals;
    Lanes lanes;
};

Trace trace_of(const Arguments &arguments) {
    Trace t;
    t.lanes = lanes_of(arguments);
    t.lanes.first_event = arguments.column<int64_t>("lanes.first_event_ns");
    Arguments::same_length("lanes", {t.lanes.size(), t.lanes.first_event.size});
    t.collectives = collectives_of(arguments);
    t.collectives.op = arguments.column<int32_t>("collectives.op");
    t.no_groups.assign(t.collectives.size(), -1);
    t.collectives.second_group = view(t.no_groups);
    Arguments::same_length("collectives", {t.collectives.size(), t.collectives.op.size});
    t.calls = calls_of(arguments, t.lanes, t.collectives);
    t.calls.call_site = arguments.column<int32_t>("calls.call_site");
    Arguments::same_length("calls", {t.calls.size(), t.calls.call_site.size});
    t.intervals = intervals_of(arguments, t.lanes);
    t.intervals.region = arguments.column<int32_t>("intervals.region");
    t.intervals.call_site = arguments.column<int32_t>("intervals.call_site");
    Arguments::same_length("intervals", {t.intervals.size(), t.intervals.region.size, t.intervals.call_site.size});
    t.hops = hops_of(arguments, t.lanes, t.collectives);
    t.hops.arrived_early = arguments.column<int8_t>("hops.arrived_early");
    t.hops.from_engine = arguments.column<int8_t>("hops.from_engine");
    Arguments::same_length("hops", {t.hops.size(), t.hops.arrived_early.size, t.hops.from_engine.size});
    t.messages = messages_of(arguments, "messages", t.lanes);
    const auto send_calls = arguments.column<int8_t>("messages.send_call");
    t.messages.send_call = {reinterpret_cast<const SendCall *>(send_calls.data), send_calls.size};
    Arguments::same_length("messages", {t.messages.size(), t.messages.send_call.size});
    return t;
}

// Runs the classes of a conversion over a trace that is one piece.
nb::dict walk(const nb::dict &arrays, const std::string &scratch_directory) {
    Arguments arguments(arrays);
    Trace trace = trace_of(arguments);
    BindingResult hops, messages;
    PooledVector<int64_t> hop_pred, call_pred;
    PooledVector<int32_t> needed_rank;
    PooledVector<int64_t> needed_ns;
    Stretches s;
    {
        nb::gil_scoped_release release;
        Scratch scratch(scratch_directory);
        History history(scratch, trace.lanes);
        BindingClassifier hop_classifier, message_classifier;
        hop_classifier.learn_transits(trace.hops);
        hop_classifier.learn_waits(trace.hops);
        hops = hop_classifier.classify(trace.hops);
        message_classifier.learn_transits(trace.messages);
        message_classifier.learn_waits(trace.messages);
        messages = message_classifier.classify(trace.messages);
        const PooledVector<Wait> waits = waits_of(trace.hops, hops);
        const std::vector<int64_t> first = first_waits(waits, trace.hops, trace.collectives);
        const HopWaits hop_waits{waits.data(), first.data()};
        CollectiveWalker walker(trace.collectives, trace.calls, trace.lanes, hop_waits);
        hop_pred = walker.hop_predecessors(trace.hops);
        call_pred = walker.call_predecessors();
        for (const Place &begin : walker.chain_begins()) {
            needed_rank.push_back(begin.lane < 0 ? -1 : trace.lanes.rank[static_cast<size_t>(begin.lane)]);
            needed_ns.push_back(begin.t);
        }
        walker.keep_paths(s);
        history.add(trace.collectives, trace.calls, hop_waits);
        history.add(trace.intervals);
        history.add(trace.messages, messages);
        history.finish();
        RunWalker run_walker(history);
        run_walker.keep_leads(s, 0, trace.collectives.size(), std::numeric_limits<size_t>::max());
        Backward backward;
        run_walker.run([&](const Stretch &stretch) { backward.push_back(stretch); });
        keep(s, Path::run, -1, backward);
    }
    nb::dict result;
    result["hops.binding"] = to_numpy(std::move(hops.binding));
    result["hops.pred"] = to_numpy(std::move(hop_pred));
    result["messages.binding"] = to_numpy(std::move(messages.binding));
    result["calls.pred"] = to_numpy(std::move(call_pred));
    result["calls.needed_rank"] = to_numpy(std::move(needed_rank));
    result["calls.needed_ns"] = to_numpy(std::move(needed_ns));
    result["path"] = to_numpy(std::move(s.path));
    result["path_collective"] = to_numpy(std::move(s.path_collective));
    result["step"] = to_numpy(std::move(s.step));
    result["rank"] = to_numpy(std::move(s.rank));
    result["begin_ns"] = to_numpy(std::move(s.begin));
    result["end_ns"] = to_numpy(std::move(s.end));
    result["category"] = to_numpy(std::move(s.category));
    result["collective"] = to_numpy(std::move(s.collective));
    result["hop"] = to_numpy(std::move(s.hop));
    result["message"] = to_numpy(std::move(s.message));
    result["src"] = to_numpy(std::move(s.src));
    result["dst"] = to_numpy(std::move(s.dst));
    result["op"] = to_numpy(std::move(s.op));
    result["call_site"] = to_numpy(std::move(s.call_site));
    return result;
}

} // namespace
} // namespace hopscope::paths

NB_MODULE(_drawn_paths, m) {
    m.def("walk", &hopscope::paths::walk, nanobind::arg("arrays"), nanobind::arg("scratch_directory"),
          "Binding and predecessors of hops, messages and calls, and the stretches of every path. Takes and gives a "
          "dict of numpy arrays: the columns of columns.h, rows instead of ids, -1 and MISSING for null.");
}
