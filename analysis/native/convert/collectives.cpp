/* Sequence numbers, collectives, and the tables collectives, calls and steps. */
#include "collectives.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

namespace hopscope {
namespace {

const CallRecord &record(const Trace &trace, const Call &call) {
    return trace.locations[call.location].calls[call.index];
}

const std::string &region_name(const Trace &trace, OTF2_RegionRef ref) {
    static const std::string unknown = "unknown region";
    auto place = trace.definitions.regions.find(ref);
    return place == trace.definitions.regions.end() ? unknown : place->second.name;
}

/* A root argument as a place among all members: on an intercommunicator it names a rank of the other group. */
int32_t place_of_root(const Trace &trace, int32_t comm, int32_t rank, uint32_t root) {
    const int32_t at = trace.comms->peer_rank(comm, rank, root);
    return at < 0 ? kNull32 : trace.comms->rank_in(comm, at);
}

/* Collectives that one thread started and another one completed. */
void complete_across_threads(Trace &trace) {
    std::unordered_map<uint64_t, CallRecord *> open;
    for (bool matching : {false, true})
        for (LocationEvents &location : trace.locations) {
            const auto rank = static_cast<uint64_t>(trace.rank_of(location)) << 40;
            if (!matching) {
                for (CallRecord &call : location.calls)
                    if (call.nonblocking && call.complete == kNull64)
                        open[rank ^ call.request] = &call;
                continue;
            }
            for (const CollectiveEnd &end : location.foreign_collectives)
                if (auto found = open.find(rank ^ end.request); found != open.end())
                    complete_collective(*found->second, end);
        }
}

/* Calls of one rank in the order of their enters, over all its threads. */
std::vector<std::vector<Call>> calls_by_rank(Trace &trace, Collectives &out) {
    std::vector<std::vector<Call>> by_rank(trace.ranks->ranks.size());
    out.of_call.resize(trace.locations.size());
    for (size_t l = 0; l < trace.locations.size(); l++) {
        LocationEvents &location = trace.locations[l];
        const int32_t rank = trace.rank_of(location);
        out.of_call[l].assign(location.calls.size(), -1);
        for (size_t i = 0; i < location.calls.size(); i++) {
            const CallRecord &call = location.calls[i];
            const OTF2_CommRef ref = call.comm != OTF2_UNDEFINED_COMM ? call.comm : call.shadow;
            const int32_t comm = ref == OTF2_UNDEFINED_COMM ? -1 : trace.comms->number(ref, rank);
            if (comm >= 0) {
                by_rank[static_cast<size_t>(rank)].push_back({l, i, rank, comm, 0, -1});
            } else {
                out.unplaced++;
                location.intervals.push_back({call.enter, call.leave, call.region, call.depth});
            }
        }
    }
    for (auto &calls : by_rank)
        std::stable_sort(calls.begin(), calls.end(),
                         [&](const Call &a, const Call &b) { return record(trace, a).enter < record(trace, b).enter; });
    return by_rank;
}

void describe(const Trace &trace, const std::vector<Call> &calls, Collective &collective) {
    size_t left = 0;
    for (size_t i = 0; i < collective.call_count; i++) {
        const CallRecord &call = record(trace, calls[collective.first_call + i]);
        left += (call.nonblocking ? call.complete : call.leave) != kNull64;
        if (!collective.tree && call.shadow != OTF2_UNDEFINED_COMM)
            collective.tree = trace.comms->shadow(call.shadow);
    }
    collective.complete = left == trace.comms->all()[static_cast<size_t>(collective.comm)].members.size();
}

} // namespace

Collectives match_collectives(Trace &trace) {
    complete_across_threads(trace);
    Collectives out;
    std::vector<Call> calls;
    for (std::vector<Call> &of_rank : calls_by_rank(trace, out)) {
        std::unordered_map<int32_t, int64_t> next;
        for (Call &call : of_rank) {
            if (record(trace, call).persistent) {
                call.seq = record(trace, call).seq;
                calls.push_back(call);
                continue;
            }
            int64_t &seq = next[call.comm];
            if (record(trace, call).seq != kNull64)
                seq = record(trace, call).seq;
            call.seq = seq++;
            calls.push_back(call);
        }
    }
    /* Calls of one collective side by side, to number the collectives by their first enters. */
    std::sort(calls.begin(), calls.end(), [](const Call &a, const Call &b) {
        return std::tie(a.comm, a.seq, a.rank, a.location, a.index) <
               std::tie(b.comm, b.seq, b.rank, b.location, b.index);
    });
    for (size_t i = 0; i < calls.size(); i++) {
        const int64_t enter = record(trace, calls[i]).enter;
        if (out.all.empty() || out.all.back().comm != calls[i].comm || out.all.back().seq != calls[i].seq)
            out.all.push_back({calls[i].comm, calls[i].seq, enter});
        Collective &collective = out.all.back();
        collective.first_enter = std::min(collective.first_enter, enter);
        calls[i].collective = static_cast<int64_t>(out.all.size()) - 1; /* for now its place in this order */
    }
    std::vector<int64_t> by_enter(out.all.size()), id_of(out.all.size());
    for (size_t i = 0; i < by_enter.size(); i++)
        by_enter[i] = static_cast<int64_t>(i);
    std::sort(by_enter.begin(), by_enter.end(), [&](int64_t left, int64_t right) {
        const Collective &a = out.all[static_cast<size_t>(left)], &b = out.all[static_cast<size_t>(right)];
        return std::tie(a.first_enter, a.comm, a.seq) < std::tie(b.first_enter, b.comm, b.seq);
    });
    std::vector<Collective> ordered;
    ordered.reserve(out.all.size());
    for (size_t id = 0; id < by_enter.size(); id++) {
        id_of[static_cast<size_t>(by_enter[id])] = static_cast<int64_t>(id);
        ordered.push_back(out.all[static_cast<size_t>(by_enter[id])]);
    }
    out.all = std::move(ordered);
    for (Call &call : calls) {
        call.collective = id_of[static_cast<size_t>(call.collective)];
        out.of_call[call.location][call.index] = call.collective;
    }
    std::sort(calls.begin(), calls.end(), [](const Call &a, const Call &b) {
        return std::tie(a.collective, a.rank, a.location, a.index) <
               std::tie(b.collective, b.rank, b.location, b.index);
    });
    for (size_t i = 0; i < calls.size(); i++) {
        Collective &collective = out.all[static_cast<size_t>(calls[i].collective)];
        if (collective.call_count++ == 0)
            collective.first_call = i;
    }
    for (Collective &collective : out.all)
        describe(trace, calls, collective);
    out.calls = std::move(calls);
    return out;
}

std::shared_ptr<Table> collectives_table(const Trace &trace, const Collectives &collectives) {
    auto table = std::make_shared<Table>();
    auto &id = table->int64("collective_id");
    auto &comm = table->int32("comm");
    auto &seq = table->int64("seq");
    auto &op = table->string("op");
    auto &root = table->int32("root", true);
    auto &comm_size = table->int32("comm_size");
    auto &bytes = table->int64("bytes");
    auto &first_enter = table->int64("first_enter_ns");
    auto &last_enter = table->int64("last_enter_ns");
    auto &first_leave = table->int64("first_leave_ns", true);
    auto &last_leave = table->int64("last_leave_ns", true);
    auto &complete = table->boolean("complete");
    for (size_t i = 0; i < collectives.all.size(); i++) {
        const Collective &collective = collectives.all[i];
        int64_t latest_enter = collective.first_enter, earliest_leave = kNull64, latest_leave = kNull64, most = 0;
        int32_t its_root = kNull32;
        for (size_t c = 0; c < collective.call_count; c++) {
            const Call &member = collectives.calls[collective.first_call + c];
            const CallRecord &call = record(trace, member);
            latest_enter = std::max(latest_enter, call.enter);
            const int64_t end = call.nonblocking ? call.complete : call.leave;
            if (end != kNull64) {
                earliest_leave = earliest_leave == kNull64 ? end : std::min(earliest_leave, end);
                latest_leave = std::max(latest_leave, end);
            }
            most = std::max({most, call.bytes_sent, call.bytes_received});
            if (call.root == OTF2_COLLECTIVE_ROOT_SELF)
                its_root = trace.comms->rank_in(collective.comm, member.rank);
            else if (call.root < static_cast<uint32_t>(OTF2_COLLECTIVE_ROOT_THIS_GROUP))
                its_root = place_of_root(trace, collective.comm, member.rank, call.root);
        }
        id.push_back(static_cast<int64_t>(i));
        comm.push_back(collective.comm);
        seq.push_back(collective.seq);
        op.add(region_name(trace, record(trace, collectives.calls[collective.first_call]).region));
        root.push_back(its_root);
        comm_size.push_back(
            static_cast<int32_t>(trace.comms->all()[static_cast<size_t>(collective.comm)].members.size()));
        bytes.push_back(most);
        first_enter.push_back(trace.ns(collective.first_enter));
        last_enter.push_back(trace.ns(latest_enter));
        first_leave.push_back(trace.ns_or_null(earliest_leave));
        last_leave.push_back(trace.ns_or_null(latest_leave));
        complete.push_back(collective.complete);
    }
    return table;
}

std::shared_ptr<Table> calls_table(const Trace &trace, const Collectives &collectives) {
    auto table = std::make_shared<Table>();
    auto &id = table->int64("call_id");
    auto &collective_id = table->int64("collective_id");
    auto &rank = table->int32("rank");
    auto &location = table->int64("location");
    auto &previous = table->int64("prev_call_id", true);
    auto &enter = table->int64("enter_ns");
    auto &wait_begin = table->int64("wait_begin_ns", true);
    auto &leave = table->int64("leave_ns", true);
    auto &complete = table->int64("complete_ns", true);
    auto &sent = table->int64("bytes_sent");
    auto &received = table->int64("bytes_received");
    auto &engine = table->string("engine");
    auto &tree = table->string("tree", true);
    auto &call_site = table->string("call_site", true);
    auto &pred_hop = table->int64("pred_hop_id", true);

    /* A location's calls are in the order of their enters already. */
    std::vector<std::vector<int64_t>> ids(trace.locations.size());
    for (size_t l = 0; l < trace.locations.size(); l++)
        ids[l].assign(trace.locations[l].calls.size(), kNull64);
    for (size_t i = 0; i < collectives.calls.size(); i++)
        ids[collectives.calls[i].location][collectives.calls[i].index] = static_cast<int64_t>(i);

    for (size_t i = 0; i < collectives.calls.size(); i++) {
        const Call &it = collectives.calls[i];
        const CallRecord &call = record(trace, it);
        const Collective &collective = collectives.all[static_cast<size_t>(it.collective)];
        int64_t before = kNull64;
        for (size_t p = it.index; p-- > 0 && before == kNull64;)
            before = ids[it.location][p];
        id.push_back(static_cast<int64_t>(i));
        collective_id.push_back(it.collective);
        rank.push_back(it.rank);
        location.push_back(static_cast<int64_t>(trace.locations[it.location].location));
        previous.push_back(before);
        enter.push_back(trace.ns(call.enter));
        wait_begin.push_back(trace.ns_or_null(call.wait_begin));
        leave.push_back(trace.ns_or_null(call.leave));
        complete.push_back(trace.ns_or_null(call.complete));
        sent.push_back(call.bytes_sent);
        received.push_back(call.bytes_received);

        /* A call that never left cannot say that the tree ran it, but its hops or the others' can. */
        const std::string said = trace.definitions.string(call.engine);
        const Shadow *shadow = call.shadow == OTF2_UNDEFINED_COMM ? nullptr : trace.comms->shadow(call.shadow);
        if (!shadow && (said == "tree" || (said.empty() && call.leave == kNull64)))
            shadow = collective.tree;
        const bool by_tree = said.empty() ? shadow && !shadow->native : said == "tree";
        engine.add(said.empty() ? (by_tree ? "tree" : "native") : said);
        if (by_tree && shadow)
            tree.add(shadow->tree);
        else
            tree.add_null();
        auto region = trace.definitions.regions.find(call.region);
        if (region == trace.definitions.regions.end() || region->second.call_site.empty())
            call_site.add_null();
        else
            call_site.add(region->second.call_site);
        pred_hop.push_back(kNull64);
    }
    return table;
}

std::shared_ptr<Table> steps_table(const Trace &trace, const Collectives &collectives) {
    struct Step {
        int64_t collective, begin, end;
        size_t location;
        RegionKind kind;
    };
    std::vector<Step> steps;
    for (size_t l = 0; l < trace.locations.size(); l++)
        for (const StepRecord &step : trace.locations[l].steps) {
            const int64_t collective = collectives.of_call[l][static_cast<size_t>(step.call)];
            if (step.end != kNull64 && collective >= 0)
                steps.push_back({collective, step.begin, step.end, l, step.kind});
        }
    std::stable_sort(steps.begin(), steps.end(), [](const Step &a, const Step &b) {
        return std::tie(a.collective, a.begin, a.location) < std::tie(b.collective, b.begin, b.location);
    });
    auto table = std::make_shared<Table>();
    auto &id = table->int64("step_id");
    auto &collective_id = table->int64("collective_id");
    auto &rank = table->int32("rank");
    auto &location = table->int64("location");
    auto &kind = table->string("kind");
    auto &bytes = table->int64("bytes", true);
    auto &begin = table->int64("begin_ns");
    auto &end = table->int64("end_ns");
    for (size_t i = 0; i < steps.size(); i++) {
        id.push_back(static_cast<int64_t>(i));
        collective_id.push_back(steps[i].collective);
        rank.push_back(trace.rank_of(trace.locations[steps[i].location]));
        location.push_back(static_cast<int64_t>(trace.locations[steps[i].location].location));
        kind.add(steps[i].kind == RegionKind::Combine ? "combine"
                 : steps[i].kind == RegionKind::Copy  ? "copy"
                                                      : "overhead");
        bytes.push_back(kNull64); /* Enter and Leave carry none */
        begin.push_back(trace.ns(steps[i].begin));
        end.push_back(trace.ns(steps[i].end));
    }
    return table;
}

} // namespace hopscope
