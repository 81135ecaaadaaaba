// The Python module hopscope.native._replay. It takes and returns dicts of numpy arrays, and replays without the GIL.
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "paths/arguments.h"
#include "replay.h"

namespace hopscope::replay {
namespace {

namespace nb = nanobind;
using paths::Arguments;

template <typename T> void require_ascending(const char *name, const Column<T> &column) {
    if (column.size == 0 || !std::is_sorted(column.data, column.data + column.size))
        throw nb::value_error((std::string(name) + " does not ascend").c_str());
}

template <typename T> int64_t rows(const Column<T> &column) {
    return static_cast<int64_t>(column.size);
}

Program program_of(const Arguments &arguments, size_t schedules, size_t hosts) {
    Program p;
    p.first_op = arguments.column<int64_t>("first_op");
    p.op = arguments.column<int8_t>("op");
    p.ref = arguments.column<int64_t>("ref");
    p.gap = arguments.column<int64_t>("gap_ns");
    p.hold = arguments.column<int64_t>("hold_ns");
    p.slot = arguments.column<int64_t>("slot");
    p.host = arguments.column<int32_t>("host");
    p.transit = arguments.column<int64_t>("transit_ns");
    p.first_member = arguments.column<int64_t>("first_member");
    p.member = arguments.column<int32_t>("member");
    p.schedule = arguments.column<int32_t>("schedule");
    p.own_time = arguments.column<int64_t>("own_time_ns");
    p.leads = arguments.column<int8_t>("leads");
    p.root_position = arguments.column<int32_t>("root_position");
    Arguments::same_length("program operations", {p.op.size, p.ref.size, p.gap.size, p.hold.size, p.slot.size});
    Arguments::same_length("program lanes", {p.lanes() + 1, p.first_op.size});
    Arguments::same_length("program collectives",
                           {p.collectives() + 1, p.first_member.size, p.leads.size + 1, p.root_position.size + 1});
    Arguments::same_length("program members", {p.member.size, p.own_time.size});
    require_ascending("first_op", p.first_op);
    require_ascending("first_member", p.first_member);
    Arguments::rows_of("first_op", p.first_op, rows(p.op) + 1);
    Arguments::rows_of("first_member", p.first_member, rows(p.member) + 1);
    Arguments::rows_of("op", p.op, static_cast<int64_t>(Op::collective) + 1);
    Arguments::rows_of("host", p.host, static_cast<int64_t>(hosts));
    Arguments::rows_of("member", p.member, static_cast<int64_t>(p.lanes()));
    Arguments::rows_of("schedule", p.schedule, static_cast<int64_t>(schedules), -1);
    for (size_t lane = 0; lane < p.lanes(); lane++)
        for (int64_t i = p.first_op[lane]; i < p.first_op[lane + 1]; i++) {
            const auto op = static_cast<size_t>(i);
            const bool is_collective = p.op[op] == static_cast<int8_t>(Op::collective);
            const int64_t ref = p.ref[op], slot = p.slot[op];
            bool fits = ref >= 0 && ref < (is_collective ? rows(p.schedule) : rows(p.transit));
            if (fits && is_collective)
                fits = slot >= p.first_member[static_cast<size_t>(ref)] &&
                       slot < p.first_member[static_cast<size_t>(ref) + 1] &&
                       p.member[static_cast<size_t>(slot)] == static_cast<int32_t>(lane);
            if (!fits)
                throw nb::value_error(("operation " + std::to_string(i) +
                                       " names a message or a collective that is not there, or another lane's place")
                                          .c_str());
        }
    for (size_t i = 0; i < p.collectives(); i++)
        if (p.root_position[i] < -1 || p.root_position[i] >= p.first_member[i + 1] - p.first_member[i])
            throw nb::value_error(("collective " + std::to_string(i) + " has a root that is no member").c_str());
    return p;
}

Costs costs_of(const nb::dict &costs) {
    const Arguments arguments(costs);
    auto number = [&](const char *name) { return nb::cast<double>(costs[name]); };
    Costs c;
    c.hosts = nb::cast<size_t>(costs["hosts"]);
    c.link = arguments.column<int32_t>("link");
    c.latency = arguments.column<double>("latency_ns");
    c.per_byte = arguments.column<double>("per_byte_ns");
    c.send = arguments.column<double>("send_ns");
    c.send_per_byte = arguments.column<double>("send_per_byte_ns");
    c.receive = arguments.column<double>("receive_ns");
    c.receive_per_byte = arguments.column<double>("receive_per_byte_ns");
    c.eager_bytes = arguments.column<double>("eager_bytes");
    c.rts = arguments.column<double>("announcement_ns");
    c.cts = arguments.column<double>("answer_ns");
    c.rendezvous = arguments.column<double>("announced_ns");
    c.rendezvous_per_byte = arguments.column<double>("announced_per_byte_ns");
    c.first_server = arguments.column<int64_t>("first_server");
    c.far = arguments.column<int64_t>("far");
    c.server = arguments.column<int32_t>("server");
    c.service = arguments.column<double>("service_ns");
    c.service_per_byte = arguments.column<double>("service_per_byte_ns");
    c.rest = arguments.column<double>("rest_ns");
    c.cut_through = nb::cast<bool>(costs["cut_through"]);
    c.emulates = nb::cast<bool>(costs["emulates"]);
    c.enter = number("enter_ns");
    c.leave = number("leave_ns");
    c.combine = number("combine_ns");
    c.combine_per_byte = number("combine_per_byte_ns");
    c.copy = number("copy_ns");
    c.copy_per_byte = number("copy_per_byte_ns");
    Arguments::same_length("costs by pairs of hosts",
                           {c.hosts * c.hosts, c.link.size, c.far.size, c.first_server.size - 1});
    Arguments::same_length("costs by links", {c.latency.size, c.per_byte.size, c.send.size, c.send_per_byte.size,
                                              c.receive.size, c.receive_per_byte.size, c.eager_bytes.size, c.rts.size,
                                              c.cts.size, c.rendezvous.size, c.rendezvous_per_byte.size});
    Arguments::same_length("costs by servers", {c.service.size, c.service_per_byte.size, c.rest.size});
    Arguments::rows_of("link", c.link, rows(c.latency));
    Arguments::rows_of("server", c.server, rows(c.service));
    Arguments::rows_of("first_server", c.first_server, rows(c.server) + 1);
    require_ascending("first_server", c.first_server);
    for (size_t pair = 0; pair < c.far.size; pair++)
        if (c.far[pair] < c.first_server[pair] || c.far[pair] > c.first_server[pair + 1])
            throw nb::value_error("far: not a place on the pair's route");
    for (const auto *times :
         {&c.latency, &c.per_byte, &c.send, &c.send_per_byte, &c.receive, &c.receive_per_byte, &c.rts, &c.cts,
          &c.rendezvous, &c.rendezvous_per_byte, &c.service, &c.service_per_byte, &c.rest})
        if (!std::all_of(times->data, times->data + times->size, [](double t) { return t >= 0 && t < 1e18; }))
            throw nb::value_error("a cost is negative or not finite");
    return c;
}

Schedule schedule_of(const nb::dict &dict) {
    const Arguments arguments(dict);
    return Schedule({arguments.column<int64_t>("first_step"), arguments.column<int64_t>("first_edge"),
                     arguments.column<int64_t>("edge"), arguments.column<int64_t>("first_ready"),
                     arguments.column<int64_t>("ready"), arguments.column<int64_t>("other_end"),
                     arguments.column<int64_t>("length"), arguments.column<int8_t>("kind"),
                     arguments.column<int32_t>("unmet"), nb::cast<int64_t>(dict["unit_bytes"])});
}

nb::dict replayed(const nb::dict &program, const std::vector<nb::dict> &schedules, const nb::dict &costs) {
    const Costs times = costs_of(costs);
    const Program p = program_of(Arguments(program), schedules.size(), times.hosts);
    std::vector<Schedule> schedule_list;
    for (const nb::dict &schedule : schedules)
        schedule_list.push_back(schedule_of(schedule));
    Replayed result;
    {
        nb::gil_scoped_release release;
        result = replay(p, schedule_list, times);
    }
    nb::dict answer;
    answer["enter_ns"] = to_numpy(std::move(result.enter));
    answer["leave_ns"] = to_numpy(std::move(result.leave));
    answer["hops"] = result.hops;
    answer["finished"] = result.finished;
    return answer;
}

} // namespace
} // namespace hopscope::replay

NB_MODULE(_replay, m) {
    m.doc() = "Replays any sequence of collectives, which run by the engine's schedules or take their observed times.";
    m.def("replay", &hopscope::replay::replayed, nanobind::arg("program"), nanobind::arg("schedules"),
          nanobind::arg("costs"),
          "Replays a program. program and costs: the arrays and numbers of program.h. schedules: dicts that "
          "hopscope.native._plan made. Returns a dict: enter_ns and leave_ns of every member of every collective; "
          "hops, the number of messages in collectives; finished, True if every lane came to its end.");
}
