/* Fills the tables ranks, comms and clocks from the data of the whole trace. */
#include "tables.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace hopscope {

std::shared_ptr<Table> ranks_table(const Trace &trace, const std::shared_ptr<const Words> &words) {
    /* Archives of other tools do not say which ranks are complete. If such an archive has MPI calls, a rank is complete
     * if it called MPI_Finalize. */
    std::vector<bool> finalized(trace.ranks->ranks.size(), false);
    bool has_mpi = false;
    for (const LocationEvents &location : trace.locations) {
        has_mpi = has_mpi || location.has_mpi;
        if (location.finalized)
            finalized[static_cast<size_t>(location.rank)] = true;
    }
    auto table = std::make_shared<Table>(words);
    auto &id = table->int32("rank");
    auto &world = table->int32("world");
    auto &world_rank = table->int32("world_rank");
    auto &host = table->string("host");
    auto &cluster = table->string("cluster");
    auto &pid = table->int64("pid", true);
    auto &core = table->int32("core", true);
    auto &cores = table->string("cores", true);
    auto &busy_threads = table->int32("busy_threads", true);
    auto &cpu_ns = table->int64("cpu_ns", true);
    auto &queued_ns = table->int64("queued_ns", true);
    auto &computing_ns = table->int64("computing_ns", true);
    auto &computing_on_core_ns = table->int64("computing_on_core_ns", true);
    auto &computing_queued_ns = table->int64("computing_queued_ns", true);
    auto &computing_cpu_ns = table->int64("computing_cpu_ns", true);
    auto &clock_host = table->string("clock_host");
    auto &memory = table->int64("memory", true);
    auto &first = table->int64("first_event_ns", true);
    auto &last = table->int64("last_event_ns", true);
    auto &complete = table->boolean("complete");
    for (size_t i = 0; i < trace.ranks->ranks.size(); i++) {
        const Rank &rank = trace.ranks->ranks[i];
        id.push_back(static_cast<int32_t>(i));
        world.push_back(rank.world);
        world_rank.push_back(rank.world_rank);
        host.push_back(words->find(rank.host));
        cluster.push_back(words->find(rank.cluster));
        pid.push_back(rank.pid);
        core.push_back(rank.core);
        cores.push_back(rank.cores.empty() ? kNull32 : words->find(rank.cores));
        busy_threads.push_back(rank.busy_threads);
        cpu_ns.push_back(rank.cpu_ns);
        queued_ns.push_back(rank.queued_ns);
        computing_ns.push_back(rank.computing_ns);
        computing_on_core_ns.push_back(rank.computing_on_core_ns);
        computing_queued_ns.push_back(rank.computing_queued_ns);
        computing_cpu_ns.push_back(rank.computing_cpu_ns);
        clock_host.push_back(words->find(rank.clock_host));
        memory.push_back(rank.memory);
        first.push_back(trace.ns_or_null(rank.first));
        last.push_back(trace.ns_or_null(rank.last));
        complete.push_back(rank.complete.empty() ? finalized[i] || !has_mpi : rank.complete == ARCHIVE_COMPLETE);
    }
    return table;
}

std::shared_ptr<Table> comms_table(const Trace &trace, const std::vector<bool> &used,
                                   const std::shared_ptr<const Words> &words) {
    auto table = std::make_shared<Table>(words);
    auto &id = table->int32("comm");
    auto &name = table->string("name");
    auto &size = table->int32("size");
    auto &members = table->column<Int32ListColumn>("members");
    auto &parent = table->int32("parent", true);
    auto &second_group = table->int32("second_group", true);
    const std::vector<Comm> &comms = trace.comms->list();
    for (size_t i = 0; i < comms.size(); i++) {
        if (trace.comms->representative(static_cast<int32_t>(i)) != static_cast<int32_t>(i))
            continue; /* only its representative has a row */
        if (i >= trace.comms->named_count() && !used[i])
            continue; /* an MPI_COMM_SELF that its rank never used */
        id.push_back(static_cast<int32_t>(i));
        name.push_back(words->find(comms[i].name));
        size.push_back(static_cast<int32_t>(comms[i].members.size()));
        members.add(comms[i].members);
        parent.push_back(comms[i].parent < 0 ? comms[i].parent : trace.comms->representative(comms[i].parent));
        second_group.push_back(comms[i].second_group);
    }
    return table;
}

std::shared_ptr<Table> clocks_table(const Trace &trace, const std::shared_ptr<const Words> &words) {
    /* All threads of a machine report the same measurements of its clock. */
    std::map<std::pair<std::string, int64_t>, ClockOffsetRecord> measured;
    for (const LocationEvents &location : trace.locations)
        for (const ClockOffsetRecord &offset : location.clock_offsets) {
            const Rank &rank = trace.ranks->ranks[static_cast<size_t>(location.rank)];
            measured.insert({{rank.clock_host, trace.ns(offset.raw_time + offset.offset)}, offset});
        }
    auto table = std::make_shared<Table>(words);
    auto &host = table->string("host");
    auto &time = table->int64("at_ns");
    auto &shift = table->int64("offset_ns");
    auto &error = table->int64("error_ns");
    auto &bound = table->int64("bound_ns");
    for (const auto &[key, offset] : measured) {
        const double quality = std::isfinite(offset.error) ? std::ceil(std::fabs(offset.error)) : 0;
        host.push_back(words->find(key.first));
        time.push_back(key.second);
        shift.push_back(trace.span_ns(offset.offset));
        error.push_back(trace.span_ns(static_cast<int64_t>(quality)));
        bound.push_back(error.back());
    }
    return table;
}

} // namespace hopscope
