// Takes the columns that hopscope.dataset.path_columns makes, and checks them. The functions leave out columns that
// only one caller needs.
#pragma once

#include <string>

#include "arguments.h"

namespace hopscope::paths {

// The lanes, without first_event.
inline Lanes lanes_of(const Arguments &arguments) {
    Lanes lanes;
    lanes.rank = arguments.column<int32_t>("lanes.rank");
    lanes.main_lane = arguments.column<int32_t>("lanes.main_lane");
    Arguments::same_length("lanes", {lanes.size(), lanes.main_lane.size});
    Arguments::rows_of("lanes.main_lane", lanes.main_lane, static_cast<int64_t>(lanes.size()));
    return lanes;
}

// Hops or messages, without the columns that only one of the two has.
inline Messages messages_of(const Arguments &arguments, const std::string &table, const Lanes &lanes) {
    auto times = [&](const char *column) { return arguments.column<int64_t>(table + "." + column); };
    Messages m;
    m.src_lane = arguments.column<int32_t>(table + ".src_lane");
    m.dst_lane = arguments.column<int32_t>(table + ".dst_lane");
    m.bytes = times("bytes");
    m.send_begin = times("send_begin_ns");
    m.send_wait_begin = times("send_wait_begin_ns");
    m.send_end = times("send_end_ns");
    m.recv_post = times("recv_post_ns");
    m.recv_wait_begin = times("recv_wait_begin_ns");
    m.recv_end = times("recv_end_ns");
    m.clock_error = times("clock_error_ns");
    m.link = arguments.column<int8_t>(table + ".link");
    Arguments::same_length(table, {m.size(), m.src_lane.size, m.dst_lane.size, m.bytes.size, m.send_begin.size,
                                   m.send_wait_begin.size, m.send_end.size, m.recv_post.size, m.recv_wait_begin.size,
                                   m.clock_error.size, m.link.size});
    Arguments::rows_of((table + ".src_lane").c_str(), m.src_lane, static_cast<int64_t>(lanes.size()));
    Arguments::rows_of((table + ".dst_lane").c_str(), m.dst_lane, static_cast<int64_t>(lanes.size()));
    Arguments::rows_of((table + ".link").c_str(), m.link, LINK_CLASS_COUNT);
    return m;
}

inline Messages hops_of(const Arguments &arguments, const Lanes &lanes, const Collectives &collectives) {
    Messages hops = messages_of(arguments, "hops", lanes);
    hops.collective = arguments.column<int64_t>("hops.collective");
    Arguments::same_length("hops", {hops.size(), hops.collective.size});
    Arguments::rows_of("hops.collective", hops.collective, static_cast<int64_t>(collectives.size()));
    return hops;
}

// The collectives, without op and second_group.
inline Collectives collectives_of(const Arguments &arguments) {
    Collectives c;
    c.leads = arguments.column<int8_t>("collectives.leads");
    c.returns_early = arguments.column<int8_t>("collectives.returns_early");
    c.library = arguments.column<int8_t>("collectives.library");
    c.has_hops = arguments.column<int8_t>("collectives.has_hops");
    c.root_rank = arguments.column<int32_t>("collectives.root_rank");
    c.first_call = arguments.column<int64_t>("collectives.first_call");
    Arguments::same_length("collectives", {c.size() + 1, c.returns_early.size + 1, c.library.size + 1,
                                           c.has_hops.size + 1, c.root_rank.size + 1, c.first_call.size});
    return c;
}

// The calls, without call_site.
inline Calls calls_of(const Arguments &arguments, const Lanes &lanes, const Collectives &collectives) {
    Calls c;
    c.collective = arguments.column<int64_t>("calls.collective");
    c.rank = arguments.column<int32_t>("calls.rank");
    c.comm_rank = arguments.column<int32_t>("calls.comm_rank");
    c.lane = arguments.column<int32_t>("calls.lane");
    c.wait_lane = c.lane; // datasets do not say which thread found a collective complete
    c.enter = arguments.column<int64_t>("calls.enter_ns");
    c.wait_begin = arguments.column<int64_t>("calls.wait_begin_ns");
    c.leave = arguments.column<int64_t>("calls.leave_ns");
    c.complete = arguments.column<int64_t>("calls.complete_ns");
    Arguments::same_length("calls", {c.size(), c.collective.size, c.rank.size, c.comm_rank.size, c.lane.size,
                                     c.wait_begin.size, c.leave.size, c.complete.size});
    Arguments::rows_of("calls.collective", c.collective, static_cast<int64_t>(collectives.size()));
    Arguments::rows_of("calls.lane", c.lane, static_cast<int64_t>(lanes.size()));
    Arguments::rows_of("collectives.first_call", collectives.first_call, static_cast<int64_t>(c.size()) + 1);
    return c;
}

// The intervals, without region and call_site.
inline Intervals intervals_of(const Arguments &arguments, const Lanes &lanes) {
    Intervals intervals;
    intervals.lane = arguments.column<int32_t>("intervals.lane");
    intervals.kind = arguments.column<int8_t>("intervals.kind");
    intervals.begin = arguments.column<int64_t>("intervals.begin_ns");
    intervals.end = arguments.column<int64_t>("intervals.end_ns");
    Arguments::same_length("intervals",
                           {intervals.size(), intervals.lane.size, intervals.kind.size, intervals.end.size});
    Arguments::rows_of("intervals.lane", intervals.lane, static_cast<int64_t>(lanes.size()));
    return intervals;
}

} // namespace hopscope::paths
