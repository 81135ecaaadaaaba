// _drawn_paths: the walks of a conversion over arrays, for traces that tests draw. Not part of the product.
#include <limits>
#include <vector>

#include "paths/arguments.h"
#include "paths/run_walk.h"

namespace hopscope::paths {
namespace {

Messages messages_of(const Arguments &in, const std::string &table) {
    auto name = [&](const char *column) { return table + "." + column; };
    Messages m;
    m.src_lane = in.column<int32_t>(name("src_lane"));
    m.dst_lane = in.column<int32_t>(name("dst_lane"));
    m.bytes = in.column<int64_t>(name("bytes"));
    m.send_begin = in.column<int64_t>(name("send_begin_ns"));
    m.send_wait_begin = in.column<int64_t>(name("send_wait_begin_ns"));
    m.send_end = in.column<int64_t>(name("send_end_ns"));
    m.recv_post = in.column<int64_t>(name("recv_post_ns"));
    m.recv_wait_begin = in.column<int64_t>(name("recv_wait_begin_ns"));
    m.recv_end = in.column<int64_t>(name("recv_end_ns"));
    m.clock_error = in.column<int64_t>(name("clock_error_ns"));
    m.link = in.column<int8_t>(name("link"));
    Arguments::same_length(table, {m.src_lane.size, m.dst_lane.size, m.bytes.size, m.send_begin.size,
                                   m.send_wait_begin.size, m.send_end.size, m.recv_post.size, m.recv_wait_begin.size,
                                   m.recv_end.size, m.clock_error.size, m.link.size});
    return m;
}

// Everything that a walk takes, as one piece of a trace.
struct Trace {
    Messages hops, messages;
    Collectives collectives;
    std::vector<int32_t> no_groups; // drawings have no intercommunicators
    Calls calls;
    Intervals intervals;
    Lanes lanes;
};

Trace trace_of(const Arguments &in) {
    Trace t;
    t.hops = messages_of(in, "hops");
    t.hops.collective = in.column<int64_t>("hops.collective");
    t.hops.arrived_early = in.column<int8_t>("hops.arrived_early");
    t.hops.from_engine = in.column<int8_t>("hops.from_engine");
    Arguments::same_length("hops",
                           {t.hops.size(), t.hops.collective.size, t.hops.arrived_early.size, t.hops.from_engine.size});
    t.messages = messages_of(in, "messages");
    const auto send_calls = in.column<int8_t>("messages.send_call");
    t.messages.send_call = {reinterpret_cast<const SendCall *>(send_calls.data), send_calls.size};
    Arguments::same_length("messages", {t.messages.size(), t.messages.send_call.size});
    t.collectives.op = in.column<int32_t>("collectives.op");
    t.collectives.leads = in.column<int8_t>("collectives.leads");
    t.collectives.returns_early = in.column<int8_t>("collectives.returns_early");
    t.collectives.has_hops = in.column<int8_t>("collectives.has_hops");
    t.collectives.root_rank = in.column<int32_t>("collectives.root_rank");
    t.no_groups.assign(t.collectives.size(), -1);
    t.collectives.second_group = view(t.no_groups);
    t.collectives.first_call = in.column<int64_t>("collectives.first_call");
    Arguments::same_length("collectives", {t.collectives.size() + 1, t.collectives.op.size + 1,
                                           t.collectives.returns_early.size + 1, t.collectives.has_hops.size + 1,
                                           t.collectives.root_rank.size + 1, t.collectives.first_call.size});
    t.calls.collective = in.column<int64_t>("calls.collective");
    t.calls.rank = in.column<int32_t>("calls.rank");
    t.calls.comm_rank = in.column<int32_t>("calls.comm_rank");
    t.calls.lane = in.column<int32_t>("calls.lane");
    t.calls.enter = in.column<int64_t>("calls.enter_ns");
    t.calls.wait_begin = in.column<int64_t>("calls.wait_begin_ns");
    t.calls.leave = in.column<int64_t>("calls.leave_ns");
    t.calls.complete = in.column<int64_t>("calls.complete_ns");
    t.calls.call_site = in.column<int32_t>("calls.call_site");
    Arguments::same_length("calls", {t.calls.size(), t.calls.collective.size, t.calls.rank.size, t.calls.comm_rank.size,
                                     t.calls.lane.size, t.calls.wait_begin.size, t.calls.leave.size,
                                     t.calls.complete.size, t.calls.call_site.size});
    t.intervals.region = in.column<int32_t>("intervals.region");
    t.intervals.call_site = in.column<int32_t>("intervals.call_site");
    t.intervals.lane = in.column<int32_t>("intervals.lane");
    t.intervals.kind = in.column<int8_t>("intervals.kind");
    t.intervals.begin = in.column<int64_t>("intervals.begin_ns");
    t.intervals.end = in.column<int64_t>("intervals.end_ns");
    Arguments::same_length("intervals", {t.intervals.size(), t.intervals.region.size, t.intervals.call_site.size,
                                         t.intervals.lane.size, t.intervals.kind.size, t.intervals.end.size});
    t.lanes.rank = in.column<int32_t>("lanes.rank");
    t.lanes.main_lane = in.column<int32_t>("lanes.main_lane");
    t.lanes.first_event = in.column<int64_t>("lanes.first_event_ns");
    Arguments::same_length("lanes", {t.lanes.size(), t.lanes.main_lane.size, t.lanes.first_event.size});
    auto lanes = static_cast<int64_t>(t.lanes.size()), collectives = static_cast<int64_t>(t.collectives.size());
    for (const Messages *m : {&t.hops, &t.messages}) {
        Arguments::rows_of("src_lane", m->src_lane, lanes);
        Arguments::rows_of("dst_lane", m->dst_lane, lanes);
        Arguments::rows_of("link", m->link, LINK_CLASS_COUNT);
    }
    Arguments::rows_of("hops.collective", t.hops.collective, collectives);
    Arguments::rows_of("calls.collective", t.calls.collective, collectives);
    Arguments::rows_of("calls.lane", t.calls.lane, lanes);
    Arguments::rows_of("intervals.lane", t.intervals.lane, lanes);
    Arguments::rows_of("lanes.main_lane", t.lanes.main_lane, lanes);
    Arguments::rows_of("collectives.first_call", t.collectives.first_call, static_cast<int64_t>(t.calls.size()) + 1);
    return t;
}

// The same classes as a conversion uses, with a trace that is one piece.
nb::dict walk(const nb::dict &arrays, const std::string &scratch_directory) {
    Arguments in(arrays);
    Trace trace = trace_of(in);
    BindingResult hops, messages;
    Kept<int64_t> hop_pred, call_pred;
    Kept<int32_t> needed_rank;
    Kept<int64_t> needed_ns;
    Stretches s;
    {
        nb::gil_scoped_release release;
        Scratch scratch(scratch_directory);
        History history(scratch, trace.lanes);
        Judge hop_judge, message_judge;
        hop_judge.learn_transits(trace.hops);
        hop_judge.learn_waits(trace.hops);
        hops = hop_judge.judge(trace.hops);
        message_judge.learn_transits(trace.messages);
        message_judge.learn_waits(trace.messages);
        messages = message_judge.judge(trace.messages);
        const Kept<Wait> waits = waits_of(trace.hops, hops);
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
        RunWalker over_all(history);
        over_all.keep_leads(s, 0, trace.collectives.size(), std::numeric_limits<size_t>::max());
        Backward backward;
        over_all.run([&](const Stretch &stretch) { backward.push_back(stretch); });
        keep(s, Path::run, -1, backward);
    }
    nb::dict out;
    out["hops.binding"] = to_numpy(std::move(hops.binding));
    out["hops.pred"] = to_numpy(std::move(hop_pred));
    out["messages.binding"] = to_numpy(std::move(messages.binding));
    out["calls.pred"] = to_numpy(std::move(call_pred));
    out["calls.needed_rank"] = to_numpy(std::move(needed_rank));
    out["calls.needed_ns"] = to_numpy(std::move(needed_ns));
    out["path"] = to_numpy(std::move(s.path));
    out["path_collective"] = to_numpy(std::move(s.path_collective));
    out["step"] = to_numpy(std::move(s.step));
    out["rank"] = to_numpy(std::move(s.rank));
    out["begin_ns"] = to_numpy(std::move(s.begin));
    out["end_ns"] = to_numpy(std::move(s.end));
    out["category"] = to_numpy(std::move(s.category));
    out["collective"] = to_numpy(std::move(s.collective));
    out["hop"] = to_numpy(std::move(s.hop));
    out["message"] = to_numpy(std::move(s.message));
    out["src"] = to_numpy(std::move(s.src));
    out["dst"] = to_numpy(std::move(s.dst));
    out["op"] = to_numpy(std::move(s.op));
    out["call_site"] = to_numpy(std::move(s.call_site));
    return out;
}

} // namespace
} // namespace hopscope::paths

NB_MODULE(_drawn_paths, m) {
    m.def("walk", &hopscope::paths::walk, nanobind::arg("arrays"), nanobind::arg("scratch_directory"),
          "Binding and predecessors of hops, messages and calls, and the stretches of every path. Takes and gives a "
          "dict of numpy arrays: the columns of columns.h, rows instead of ids, -1 and MISSING for null.");
}
