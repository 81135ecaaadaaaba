// hopscope._paths: the boundary to Python. Dicts of numpy arrays in and out; the work runs without the GIL.
#include "arguments.h"
#include "walk.h"

namespace hopscope {
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

Trace trace_of(const Arguments &in) {
    Trace t;
    t.hops = messages_of(in, "hops");
    t.hops.collective = in.column<int64_t>("hops.collective");
    t.hops.arrived_early = in.column<int8_t>("hops.arrived_early");
    t.hops.from_engine = in.column<int8_t>("hops.from_engine");
    Arguments::same_length("hops",
                           {t.hops.size(), t.hops.collective.size, t.hops.arrived_early.size, t.hops.from_engine.size});
    t.messages = messages_of(in, "messages");
    t.collectives.leads = in.column<int8_t>("collectives.leads");
    t.collectives.root_rank = in.column<int32_t>("collectives.root_rank");
    t.collectives.first_call = in.column<int64_t>("collectives.first_call");
    Arguments::same_length("collectives",
                           {t.collectives.size() + 1, t.collectives.root_rank.size + 1, t.collectives.first_call.size});
    t.calls.collective = in.column<int64_t>("calls.collective");
    t.calls.rank = in.column<int32_t>("calls.rank");
    t.calls.comm_rank = in.column<int32_t>("calls.comm_rank");
    t.calls.lane = in.column<int32_t>("calls.lane");
    t.calls.enter = in.column<int64_t>("calls.enter_ns");
    t.calls.leave = in.column<int64_t>("calls.leave_ns");
    t.calls.complete = in.column<int64_t>("calls.complete_ns");
    t.calls.by_tree = in.column<int8_t>("calls.by_tree");
    Arguments::same_length("calls",
                           {t.calls.size(), t.calls.collective.size, t.calls.rank.size, t.calls.comm_rank.size,
                            t.calls.lane.size, t.calls.leave.size, t.calls.complete.size, t.calls.by_tree.size});
    t.intervals.lane = in.column<int32_t>("intervals.lane");
    t.intervals.kind = in.column<int8_t>("intervals.kind");
    t.intervals.begin = in.column<int64_t>("intervals.begin_ns");
    t.intervals.end = in.column<int64_t>("intervals.end_ns");
    Arguments::same_length("intervals",
                           {t.intervals.size(), t.intervals.lane.size, t.intervals.kind.size, t.intervals.end.size});
    t.lanes.rank = in.column<int32_t>("lanes.rank");
    t.lanes.main_lane = in.column<int32_t>("lanes.main_lane");
    t.lanes.first_event = in.column<int64_t>("lanes.first_event_ns");
    Arguments::same_length("lanes", {t.lanes.size(), t.lanes.main_lane.size, t.lanes.first_event.size});
    return t;
}

nb::dict walk(const nb::dict &arrays) {
    Arguments in(arrays);
    Trace trace = trace_of(in);
    BindingResult hops, messages;
    std::vector<int64_t> hop_pred, call_pred;
    Stretches s;
    {
        nb::gil_scoped_release release;
        hops = classify(trace.hops);
        messages = classify(trace.messages);
        Walker walker(trace, hops, messages);
        hop_pred = walker.hop_predecessors();
        call_pred = walker.call_predecessors();
        s = walker.paths();
    }
    nb::dict out;
    out["hops.binding"] = to_numpy(std::move(hops.binding));
    out["hops.pred"] = to_numpy(std::move(hop_pred));
    out["messages.binding"] = to_numpy(std::move(messages.binding));
    out["calls.pred"] = to_numpy(std::move(call_pred));
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
    out["owner"] = to_numpy(std::move(s.owner));
    out["owner_row"] = to_numpy(std::move(s.owner_row));
    return out;
}

} // namespace
} // namespace hopscope

NB_MODULE(_paths, m) {
    m.doc() = "Binding of messages, walks along critical paths, and replays of a run over other trees.";
    m.def("walk", &hopscope::walk, nanobind::arg("arrays"),
          "Binding and predecessors of hops, messages and calls, and the stretches of every path. Takes and gives a "
          "dict of numpy arrays: the columns of columns.h, rows instead of ids, -1 and MISSING for null.");
}
