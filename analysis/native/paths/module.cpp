// hopscope._paths: the boundary to Python. Dicts of numpy arrays in and out; the work runs without the GIL.
#include <algorithm>

#include "arguments.h"
#include "operations.h"
#include "replay.h"
#include "run_walk.h"

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
    t.collectives.op = in.column<int32_t>("collectives.op");
    t.collectives.leads = in.column<int8_t>("collectives.leads");
    t.collectives.returns_early = in.column<int8_t>("collectives.returns_early");
    t.collectives.has_hops = in.column<int8_t>("collectives.has_hops");
    t.collectives.root_rank = in.column<int32_t>("collectives.root_rank");
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
        Arguments::rows_of("link", m->link, static_cast<int64_t>(Link::wan) + 1);
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
        const std::vector<int64_t> first = first_waits(waits, trace.collectives);
        CollectiveWalker walker(trace.collectives, trace.calls, trace.lanes, {waits.data(), first.data()});
        hop_pred = walker.hop_predecessors(trace.hops);
        call_pred = walker.call_predecessors();
        walker.keep_paths(s);
        history.add(trace.collectives, trace.calls, waits);
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

nb::tuple replay_program(const nb::dict &program, const nb::dict &candidate, const nb::dict &costs) {
    Program p = program_of(Arguments(program));
    Arguments c(candidate), k(costs);
    Candidate trees;
    trees.first_rank = c.column<int64_t>("first_rank");
    trees.up_parent = c.column<int32_t>("up_parent");
    trees.down_parent = c.column<int32_t>("down_parent");
    trees.up_first_child = c.column<int64_t>("up_first_child");
    trees.down_first_child = c.column<int64_t>("down_first_child");
    trees.up_children = c.column<int32_t>("up_children");
    trees.down_children = c.column<int32_t>("down_children");
    trees.segment_bytes = nb::cast<int64_t>(candidate["segment_bytes"]);
    Costs time;
    time.latency = k.column<double>("latency_ns");
    time.per_byte = k.column<double>("per_byte_ns");
    auto number = [&](const char *name) { return nb::cast<double>(costs[name]); };
    time.enter = number("enter_ns");
    time.handle_up = number("handle_up_ns");
    time.combine_per_byte = number("combine_per_byte_ns");
    time.handle_down = number("handle_down_ns");
    time.send = number("send_ns");
    time.leave = number("leave_ns");
    time.interface_message = number("interface_message_ns");
    time.hosts = nb::cast<size_t>(costs["hosts"]);
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
    Arguments::same_length("costs", {time.hosts * time.hosts, time.latency.size, time.per_byte.size});
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
    m.doc() = "Binding of messages, walks along critical paths, and replays of a run over other trees.";
    m.def(
        "leads_of", [](const std::string &function) { return static_cast<int>(hopscope::paths::leads_of(function)); },
        nanobind::arg("function"), "Where the library leads without hops: enum Leads of columns.h.");
    m.def("returns_early", &hopscope::paths::returns_early, nanobind::arg("function"),
          "True where the rank waits for the others in another call than this one.");
    m.def("walk", &hopscope::paths::walk, nanobind::arg("arrays"), nanobind::arg("scratch_directory"),
          "Binding and predecessors of hops, messages and calls, and the stretches of every path. Takes and gives a "
          "dict of numpy arrays: the columns of columns.h, rows instead of ids, -1 and MISSING for null.");
    m.def("replay", &hopscope::paths::replay_program, nanobind::arg("program"), nanobind::arg("candidate"),
          nanobind::arg("costs"),
          "Replays a program over a candidate's trees: last enter and last leave of every collective in ns of the "
          "replay, and whether every lane came to its end. Arrays and numbers as in replay.h.");
}
