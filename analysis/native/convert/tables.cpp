/* Tables that are one pass over what was read. */
#include "tables.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace hopscope {

std::shared_ptr<Table> ranks_table(const Trace &trace) {
    /* Another tool's archive does not say which rank was complete; its MPI_Finalize does, where there is any MPI. */
    std::vector<bool> finalized(trace.ranks->ranks.size(), false);
    bool has_mpi = false;
    for (const LocationEvents &location : trace.locations) {
        has_mpi = has_mpi || !location.calls.empty();
        for (const IntervalRecord &interval : location.intervals) {
            auto region = trace.definitions.regions.find(interval.region);
            if (region == trace.definitions.regions.end() || !is_mpi(region->second.kind))
                continue;
            has_mpi = true;
            if (region->second.kind == RegionKind::Finalize)
                finalized[static_cast<size_t>(trace.rank_of(location))] = true;
        }
    }
    auto table = std::make_shared<Table>();
    auto &id = table->int32("rank");
    auto &world = table->int32("world");
    auto &world_rank = table->int32("world_rank");
    auto &host = table->string("host");
    auto &cluster = table->string("cluster");
    auto &pid = table->int64("pid", true);
    auto &core = table->int32("core", true);
    auto &clock_host = table->string("clock_host");
    auto &first = table->int64("first_event_ns", true);
    auto &last = table->int64("last_event_ns", true);
    auto &complete = table->boolean("complete");
    for (size_t i = 0; i < trace.ranks->ranks.size(); i++) {
        const Rank &rank = trace.ranks->ranks[i];
        id.push_back(static_cast<int32_t>(i));
        world.push_back(0);
        world_rank.push_back(static_cast<int32_t>(i));
        host.add(rank.host);
        cluster.add(rank.cluster);
        pid.push_back(rank.pid);
        core.push_back(rank.core);
        clock_host.add(rank.clock_host);
        first.push_back(trace.ns_or_null(rank.first));
        last.push_back(trace.ns_or_null(rank.last));
        complete.push_back(rank.complete.empty() ? finalized[i] || !has_mpi : rank.complete == "yes");
    }
    return table;
}

std::shared_ptr<Table> comms_table(const Trace &trace) {
    auto table = std::make_shared<Table>();
    auto &id = table->int32("comm");
    auto &name = table->string("name");
    auto &size = table->int32("size");
    auto &members = table->column<Int32ListColumn>("members");
    auto &parent = table->int32("parent", true);
    const std::vector<Comm> &comms = trace.comms->all();
    for (size_t i = 0; i < comms.size(); i++) {
        id.push_back(static_cast<int32_t>(i));
        name.add(comms[i].name);
        size.push_back(static_cast<int32_t>(comms[i].members.size()));
        members.add(comms[i].members);
        parent.push_back(comms[i].parent);
    }
    return table;
}

std::shared_ptr<Table> intervals_table(const Trace &trace) {
    struct Row {
        const IntervalRecord *interval;
        size_t location;
    };
    std::vector<Row> rows;
    for (size_t l = 0; l < trace.locations.size(); l++)
        for (const IntervalRecord &interval : trace.locations[l].intervals)
            if (interval.region != OTF2_UNDEFINED_REGION)
                rows.push_back({&interval, l});
    std::stable_sort(rows.begin(), rows.end(), [](const Row &a, const Row &b) {
        return std::tie(a.interval->begin, a.location, a.interval->depth) <
               std::tie(b.interval->begin, b.location, b.interval->depth);
    });
    auto table = std::make_shared<Table>();
    auto &id = table->int64("interval_id");
    auto &rank = table->int32("rank");
    auto &location = table->int64("location");
    auto &name = table->string("region");
    auto &kind = table->string("kind");
    auto &depth = table->int32("depth");
    auto &begin = table->int64("begin_ns");
    auto &end = table->int64("end_ns", true);
    auto &call_site = table->string("call_site", true);
    for (size_t i = 0; i < rows.size(); i++) {
        const IntervalRecord &interval = *rows[i].interval;
        auto region = trace.definitions.regions.find(interval.region);
        const bool known = region != trace.definitions.regions.end();
        id.push_back(static_cast<int64_t>(i));
        rank.push_back(trace.rank_of(trace.locations[rows[i].location]));
        location.push_back(static_cast<int64_t>(trace.locations[rows[i].location].location));
        name.add(known ? region->second.name : "unknown region");
        kind.add(interval_kind(known ? region->second.kind : RegionKind::User));
        depth.push_back(interval.depth);
        begin.push_back(trace.ns(interval.begin));
        end.push_back(trace.ns_or_null(interval.end));
        if (!known || region->second.call_site.empty())
            call_site.add_null();
        else
            call_site.add(region->second.call_site);
    }
    return table;
}

std::shared_ptr<Table> clocks_table(const Trace &trace) {
    /* Threads of one machine repeat its measurements. */
    std::map<std::pair<std::string, int64_t>, ClockOffsetRecord> measured;
    for (const LocationEvents &location : trace.locations)
        for (const ClockOffsetRecord &offset : location.clock_offsets) {
            const Rank &rank = trace.ranks->ranks[static_cast<size_t>(trace.rank_of(location))];
            measured.insert({{rank.clock_host, trace.ns(offset.at + offset.offset)}, offset});
        }
    auto table = std::make_shared<Table>();
    auto &host = table->string("host");
    auto &at = table->int64("at_ns");
    auto &shift = table->int64("offset_ns");
    auto &error = table->int64("error_ns");
    auto &bound = table->int64("bound_ns");
    for (const auto &[key, offset] : measured) {
        const double quality = std::isfinite(offset.error) ? std::ceil(std::fabs(offset.error)) : 0;
        host.add(key.first);
        at.push_back(key.second);
        shift.push_back(trace.span_ns(offset.offset));
        error.push_back(trace.span_ns(static_cast<int64_t>(quality)));
        bound.push_back(error.back());
    }
    return table;
}

} // namespace hopscope
