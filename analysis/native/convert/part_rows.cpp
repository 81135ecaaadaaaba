/* Fills the tables of a Part: collectives, calls, steps and hops. */
#include <algorithm>

#include "../paths/functions.h"
#include "part.h"

namespace hopscope {

using paths::view;

namespace {

/* The index of a collective's root among its communicator's members; null if there is no such member. root: the
 * argument of the rank's call, which on an intercommunicator counts the ranks of the other group. */
int32_t place_of_root(const Trace &trace, int32_t comm, int32_t rank, uint32_t root) {
    const int32_t world_rank = trace.comms->peer_rank(comm, rank, root);
    return world_rank < 0 ? kNull32 : trace.comms->rank_in(comm, world_rank);
}

/* The thread that recorded a send or receive of a hop, and the thread of its call, on which critical paths look for it.
 */
template <typename Record> BothEnds::Thread thread_of(const Record &end, size_t of_call) {
    return {end.location < 0 ? of_call : static_cast<size_t>(end.location), of_call};
}

} // namespace

RowWords::RowWords(const Words &words)
    : roles(words.numbers(role_words)), links(words.numbers(link_words)), bindings(words.numbers(binding_words)),
      steps(words.numbers(step_kind_words)), native_reasons(words.numbers(native_reason_words)),
      tree(words.find(source_words[SOURCE_TREE])), native(words.find(source_words[SOURCE_NATIVE])),
      silent(words.find(ARCHIVE_NATIVE ARCHIVE_SILENT)) {}

Part::Part(const Making &making, const std::unique_ptr<Collective> *first, size_t count)
    : making_(making), trace_(making.trace), words_(*making.words), first_(first), count_(count) {}

void Part::fill(int64_t first_call_id, int64_t first_hop_id, int64_t first_step_id) {
    calls.first_id = first_call_id;
    collectives.first_id = count_ ? (*this)[0].id : 0;
    fill_hops(first_hop_id);
    fill_calls();
    fill_collectives();
    fill_steps(first_step_id);
}

void Part::fill_collectives() {
    collectives_table_ = std::make_shared<Table>(making_.words, count_);
    Table &table = *collectives_table_;
    auto &id = table.int64("collective_id");
    auto &comm = table.int32("comm");
    auto &seq = table.int64("seq");
    auto &op = table.string("op");
    auto &root = table.int32("root", true);
    auto &comm_size = table.int32("comm_size");
    auto &bytes = table.int64("bytes");
    auto &first_enter = table.int64("first_enter_ns");
    auto &last_enter = table.int64("last_enter_ns");
    auto &last_rank = table.int32("last_rank");
    auto &first_leave = table.int64("first_leave_ns", true);
    auto &last_leave = table.int64("last_leave_ns", true);
    auto &complete = table.boolean("complete");
    native_reason_ = &table.string("native_reason", true);
    for (size_t i = 0; i < count_; i++) {
        const Collective &collective = (*this)[i];
        const std::vector<int32_t> &members = trace_.comms->list()[static_cast<size_t>(collective.comm)].members;
        int64_t latest_enter = kNull64, earliest_leave = kNull64, latest_leave = kNull64, most_bytes = 0;
        int32_t its_root = kNull32, latest_rank = kNull32;
        size_t left = 0;
        for (const Call &member : collective.calls) {
            const CallRecord &call = record(member);
            /* Compare in the table's unit (ns), in which nearly simultaneous enters may be equal. */
            const int64_t its_enter = trace_.ns(call.enter);
            if (latest_rank == kNull32 || its_enter > latest_enter) {
                latest_enter = its_enter;
                latest_rank = member.rank;
            }
            const int64_t end = call.nonblocking ? call.complete : call.leave;
            if (end != kNull64) {
                left++;
                earliest_leave = earliest_leave == kNull64 ? end : std::min(earliest_leave, end);
                latest_leave = std::max(latest_leave, end);
            }
            most_bytes = std::max({most_bytes, call.bytes_sent, call.bytes_received});
            if (call.root == OTF2_COLLECTIVE_ROOT_SELF)
                its_root = trace_.comms->rank_in(collective.comm, member.rank);
            else if (call.root < static_cast<uint32_t>(OTF2_COLLECTIVE_ROOT_THIS_GROUP))
                its_root = place_of_root(trace_, collective.comm, member.rank, call.root);
        }
        const OTF2_RegionRef region = record(collective.calls.front()).region;
        const std::string &function = trace_.definitions->region(region).name;
        id.push_back(collective.id);
        comm.push_back(trace_.comms->representative(collective.comm));
        seq.push_back(collective.representative_seq);
        op.push_back(making_.words->region(region).name);
        root.push_back(its_root);
        comm_size.push_back(static_cast<int32_t>(members.size()));
        bytes.push_back(most_bytes);
        first_enter.push_back(trace_.ns(collective.first_enter));
        last_enter.push_back(latest_enter);
        last_rank.push_back(latest_rank);
        first_leave.push_back(trace_.ns_or_null(earliest_leave));
        last_leave.push_back(trace_.ns_or_null(latest_leave));
        complete.push_back(left == members.size());
        incomplete += left != members.size();
        leads_.push_back(static_cast<int8_t>(paths::leads_of(function)));
        returns_early_.push_back(paths::returns_early(function));
        library_.push_back(static_cast<int8_t>(paths::library_of(function)));
        const bool has_root = its_root >= 0 && static_cast<size_t>(its_root) < members.size();
        root_rank_.push_back(has_root ? members[static_cast<size_t>(its_root)] : -1);
        second_group_.push_back(trace_.comms->list()[static_cast<size_t>(collective.comm)].second_group);
        const int8_t hidden = hidden_[i];
        native_reason_->push_back(hidden < 0 ? -1 : words_.native_reasons[static_cast<size_t>(hidden)]);
        has_hops_[i] = has_hops_[i] || (hidden < 0 && first_hop[i + 1] > first_hop[i]);
    }
    collectives = {collectives.first_id, view(op),          view(leads_),
                   view(returns_early_), view(library_),    view(root_rank_),
                   view(second_group_),  view(first_call_), view(has_hops_)};
}

void Part::fill_calls() {
    size_t rows = 0;
    for (size_t i = 0; i < count_; i++)
        rows += (*this)[i].calls.size();
    calls_table_ = std::make_shared<Table>(making_.words, rows);
    Table &table = *calls_table_;
    auto &id = table.int64("call_id");
    auto &collective_id = table.int64("collective_id");
    auto &rank = table.int32("rank");
    auto &location = table.int64("location");
    auto &previous = table.int64("prev_call_id", true);
    auto &released = table.int64("released_ns", true);
    auto &computed = table.int64("computed_ns");
    auto &overlap = table.int64("overlap_ns", true);
    auto &enter = table.int64("enter_ns");
    auto &wait_begin = table.int64("wait_begin_ns", true);
    auto &leave = table.int64("leave_ns", true);
    auto &complete = table.int64("complete_ns", true);
    auto &sent = table.int64("bytes_sent");
    auto &received = table.int64("bytes_received");
    auto &engine = table.string("engine");
    auto &tree = table.string("tree", true);
    auto &algorithm = table.string("algorithm", true);
    auto &call_site = table.string("call_site", true);
    call_predecessor_ = &table.int64("pred_hop_id", true);
    needed_rank_ = &table.int32("needed_rank", true);
    needed_ns_ = &table.int64("needed_ns", true);
    has_hops_.assign(count_, 0);
    first_call_.push_back(0);
    for (size_t i = 0; i < count_; i++) {
        const Collective &collective = (*this)[i];
        const Shadow *common = tree_of(collective);
        for (const Call &member : collective.calls) {
            const LocationEvents &its_location = trace_.locations[member.location];
            const CallRecord &call = its_location.calls[member.index];
            id.push_back(call.call_id);
            collective_id.push_back(collective.id);
            rank.push_back(member.rank);
            location.push_back(static_cast<int64_t>(its_location.location));
            const CallRecord *preceding = call.previous < 0 ? nullptr : &its_location.calls[call.previous];
            previous.push_back(preceding ? preceding->call_id : kNull64);
            released.push_back(preceding ? trace_.ns_or_null(preceding->leave) : kNull64);
            computed.push_back(trace_.span_ns(call.computed));
            overlap.push_back(call.overlap == kNull64 ? kNull64 : trace_.span_ns(call.overlap));
            enter.push_back(trace_.ns(call.enter));
            wait_begin.push_back(trace_.ns_or_null(call.wait_begin));
            leave.push_back(trace_.ns_or_null(call.leave));
            complete.push_back(trace_.ns_or_null(call.complete));
            sent.push_back(call.bytes_sent);
            received.push_back(call.bytes_received);
            /* Only a call's leave tells who ran it. If there is none, its hops or those of the other calls show it. */
            const int32_t recorded_engine = making_.words->of_string(call.engine);
            const Shadow *shadow = call.shadow == OTF2_UNDEFINED_COMM ? nullptr : trace_.comms->shadow(call.shadow);
            if (!shadow && (recorded_engine == words_.tree || (recorded_engine < 0 && call.leave == kNull64)))
                shadow = common;
            const bool ran_tree = recorded_engine < 0 ? shadow && !shadow->native : recorded_engine == words_.tree;
            const int32_t engine_word = recorded_engine >= 0 ? recorded_engine : ran_tree ? words_.tree : words_.native;
            engine.push_back(engine_word);
            tree.push_back(ran_tree && shadow ? making_.words->find(shadow->tree) : -1);
            algorithm.push_back(making_.words->of_string(call.algorithm));
            call_site.push_back(making_.words->region(call.region).call_site);
            const int32_t place = trace_.comms->rank_in(collective.comm, member.rank);
            comm_rank_.push_back(place < 0 ? member.rank : place);
            call_lane_.push_back(static_cast<int32_t>(member.location));
            wait_lane_.push_back(call.completed_on < 0 ? call_lane_.back() : call.completed_on);
            has_hops_[i] = has_hops_[i] || engine_word == words_.tree;
            by_tree = by_tree || engine_word == words_.tree;
        }
        first_call_.push_back(static_cast<int64_t>(id.size()));
    }
    calls = {calls.first_id, view(collective_id), view(rank),  view(comm_rank_), view(call_lane_), view(wait_lane_),
             view(enter),    view(wait_begin),    view(leave), view(complete),   view(call_site)};
}

void Part::fill_steps(int64_t next_id) {
    steps_table_ = std::make_shared<Table>(making_.words, steps.size());
    Table &table = *steps_table_;
    auto &id = table.int64("step_id");
    auto &collective_id = table.int64("collective_id");
    auto &rank = table.int32("rank");
    auto &location = table.int64("location");
    auto &kind = table.string("kind");
    auto &bytes = table.int64("bytes", true);
    auto &begin = table.int64("begin_ns");
    auto &end = table.int64("end_ns");
    for (size_t i = 0; i < count_; i++)
        for (size_t s = first_step[i]; s < first_step[i + 1]; s++) {
            const Step &step = steps[s];
            id.push_back(next_id++);
            collective_id.push_back((*this)[i].id);
            rank.push_back(trace_.locations[step.location].rank);
            location.push_back(static_cast<int64_t>(trace_.locations[step.location].location));
            kind.push_back(words_.steps[static_cast<size_t>(step_kind(step.kind))]);
            bytes.push_back(kNull64); /* the archive's events of steps have none */
            begin.push_back(trace_.ns(step.begin));
            end.push_back(trace_.ns(step.end));
        }
}

void Part::fill_hops(int64_t first_id) {
    hops_table_ = std::make_shared<Table>(making_.words, hops.size());
    Table &table = *hops_table_;
    auto &id = table.int64("hop_id");
    auto &collective = table.int64("collective_id");
    auto &role = table.string("role", true);
    auto &round = table.int32("round", true); /* filled in later, when the algorithm is recognised */
    auto &segment = table.int32("segment");
    hop_ends_ = std::make_unique<BothEnds>(table, hops.size(), true);
    auto &arrived_early = table.boolean("arrived_early", true);
    auto &link = table.string("link");
    auto &source = table.string("source");
    auto &clock_error = table.int64("clock_error_ns");
    hop_binding_ = &table.string("binding");
    hop_predecessor_ = &table.int64("pred_hop_id", true);
    for (auto *column : {&role, &round, &segment, &link, &source})
        column->resize(hops.size());
    for (auto *column : {&id, &collective, &clock_error})
        column->resize(hops.size());
    arrived_early.resize(hops.size());
    from_engine_.resize(hops.size());
    for (size_t i = 0; i < count_; i++)
        for (size_t h = first_hop[i]; h < first_hop[i + 1]; h++) {
            const Hop &hop = hops[h];
            const ReceiveRecord &receive = *hop.receive;
            const bool tells_waits = !hop.shadow->native || trace_.definitions->requests_tell_waits;
            id[h] = first_id + static_cast<int64_t>(h);
            collective[h] = (*this)[i].id;
            role[h] = hop.shadow->native ? -1 : words_.roles[static_cast<size_t>(hop.role)];
            round[h] = kNull32;
            segment[h] = hop.segment;
            const link_class its_link = hop_ends_->set(
                h, trace_, hop.src, hop.dst, thread_of(*hop.send, hop.src_location),
                thread_of(receive, hop.dst_location), receive.bytes,
                {hop.send->begin, hop.send->wait_begin, hop.send->end, receive.post, receive.wait_begin, receive.end});
            arrived_early[h] = receive.by_times ? -1 : receive.wait_begin != kNull64 ? 0 : tells_waits ? 1 : -1;
            link[h] = words_.links[its_link];
            source[h] = hop.shadow->native ? words_.native : words_.tree;
            clock_error[h] = trace_.span_ns(trace_.ranks->clock_error(hop.src, hop.dst));
            from_engine_[h] = !hop.shadow->native;
        }
    messages = hop_ends_->view(first_id, clock_error);
    messages.collective = view(collective);
    messages.arrived_early = view(arrived_early);
    messages.from_engine = view(from_engine_);
}

} // namespace hopscope
