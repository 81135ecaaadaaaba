/* Assigns sequence numbers and finds which collectives are complete. */
#include "collectives.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace hopscope {
namespace {

constexpr int64_t kFirstPersistent =
    int64_t{1} << ARCHIVE_PERSISTENT_SHIFT; /* persistent collectives have numbers from here on, in any order */

} // namespace

Collectives::Collectives(Trace &trace)
    : trace_(trace), locations_of_(trace.ranks->ranks.size()), numbered_(trace.locations.size(), 0),
      next_seq_(trace.ranks->ranks.size()), computed_(trace.locations.size(), 0) {
    for (size_t l = 0; l < trace.locations.size(); l++)
        locations_of_[static_cast<size_t>(trace.locations[l].rank)].push_back(l);
}

/* Completes the nonblocking collectives that one thread started and another thread of the rank completed. */
void Collectives::complete_across_threads() {
    for (LocationEvents &location : trace_.locations) {
        std::vector<CollectiveEnd> left;
        const auto completed_on = static_cast<int32_t>(&location - trace_.locations.data());
        for (const CollectiveEnd &end : location.foreign_collectives) {
            bool is_completed = false;
            for (size_t l : locations_of_[static_cast<size_t>(location.rank)]) {
                LocationEvents &opener = trace_.locations[l];
                const int64_t *call = opener.open_collectives.find(end.request);
                if (is_completed || !call)
                    continue;
                complete_collective(opener.calls[*call], end);
                opener.calls[*call].completed_on = completed_on;
                opener.open_collectives.erase(end.request);
                is_completed = true;
            }
            if (!is_completed && !exhausted(location.rank))
                left.push_back(end);
        }
        location.foreign_collectives = std::move(left);
    }
}

bool Collectives::exhausted(int32_t rank) const {
    for (size_t l : locations_of_[static_cast<size_t>(rank)])
        if (!trace_.locations[l].exhausted || numbered_[l] < trace_.locations[l].calls.end())
            return false;
    return true;
}

/* The sequence number of a call's collective on its communicator: the trace's number, or else one more than that of the
 * rank's last call. */
int64_t Collectives::take_number(int32_t rank, int32_t comm, const CallRecord &record) {
    if (record.persistent)
        return record.seq;
    int64_t &next = next_seq_[static_cast<size_t>(rank)][comm];
    if (record.seq != kNull64)
        next = record.seq;
    return next++;
}

void Collectives::place(const Call &call) {
    LocationEvents &location = trace_.locations[call.location];
    CallRecord &record = location.calls[call.index];
    const OTF2_CommRef ref = record.comm != OTF2_UNDEFINED_COMM ? record.comm : record.shadow;
    const int32_t comm = ref == OTF2_UNDEFINED_COMM ? -1 : trace_.comms->number(ref, call.rank);
    const bool by_tool = trace_.definitions->region(record.region).by_tool;
    if (comm >= 0 && by_tool)
        take_number(call.rank, comm, record);
    if (comm < 0 || by_tool) {
        unplaced_ += !by_tool;
        record.collective = kUnplaced;
        computed_[call.location] += record.computed; /* place() adds it to the next call */
        for (int64_t hop = record.last_hop_send; hop >= 0; hop = location.hop_sends[hop].predecessor)
            location.stray_hops += !by_tool;
        location.stray_hops += by_tool ? 0 : static_cast<uint64_t>(record.hop_receives);
        location.unplaced.push_back({record.enter, record.leave, record.region, record.depth});
        return;
    }
    record.computed += std::exchange(computed_[call.location], 0);
    const int64_t seq = take_number(call.rank, comm, record);
    Collective *&collective = open_[{comm, seq}];
    if (!collective) {
        unnumbered_.push_back(std::make_unique<Collective>());
        collective = unnumbered_.back().get();
        collective->comm = comm;
        collective->seq = seq;
        collective->first_enter = record.enter;
    }
    collective->first_enter = std::min(collective->first_enter, record.enter);
    collective->calls.push_back(call);
    if (trace_.comms->has_native() && locations_of_[static_cast<size_t>(call.rank)].size() > 1)
        latest_[{call.rank, comm, hop_seq_bits(static_cast<uint64_t>(seq))}] = call;
    record.collective =
        std::max<int64_t>(collective->id, 0); /* 0 if the collective is new: number() sets its id later */
    record.previous = -1;
    for (int64_t p = call.index; p-- > location.calls.begin() && record.previous < 0;)
        if (location.calls[p].collective >= 0)
            record.previous = p;
}

/* True if all events up to `time` were read on all threads of the rank. */
bool Collectives::read_past(int32_t rank, int64_t time) const {
    const std::vector<size_t> &locations = locations_of_[static_cast<size_t>(rank)];
    return std::all_of(locations.begin(), locations.end(),
                       [&](size_t l) { return trace_.locations[l].exhausted || trace_.locations[l].last > time; });
}

void Collectives::file(LocationEvents &location, CallRecord &call, SendRecord hop) {
    hop.predecessor = call.last_hop_send;
    call.last_hop_send = location.hop_sends.push_back(hop);
}

void Collectives::file(LocationEvents &location, CallRecord &call, ReceiveRecord hop) {
    hop.predecessor = call.last_hop_receive;
    call.last_hop_receive = location.hop_receives.push_back(hop);
    call.hop_receives++;
}

template <typename Record> void Collectives::file_hops(std::vector<Record> &unfiled, size_t l) {
    LocationEvents &location = trace_.locations[l];
    size_t unfiled_count = 0;
    for (Record &hop : unfiled) {
        auto entry = latest_.find({location.rank, trace_.comms->number(hop.comm, location.rank), hop_seq_of(hop.tag)});
        LocationEvents *owner = entry == latest_.end() ? nullptr : &trace_.locations[entry->second.location];
        if (owner && entry->second.index >= owner->calls.begin() &&
            owner->calls[entry->second.index].collective >= next_taken_) {
            CallRecord &call = owner->calls[entry->second.index];
            call.shadow = hop.comm;
            hop.location = static_cast<int32_t>(l);
            file(*owner, call, hop);
        } else if (exhausted(location.rank)) {
            location.stray_hops++;
        } else {
            unfiled[unfiled_count++] = hop;
        }
    }
    unfiled.resize(unfiled_count);
}

void Collectives::file_hops() {
    for (size_t l = 0; l < trace_.locations.size(); l++) {
        LocationEvents &location = trace_.locations[l];
        if (exhausted(location.rank)) {
            location.open_unfiled_sends.visit_all(
                [&](const SendRecord &send) { location.unfiled_sends.push_back(send); });
            location.open_unfiled_sends = {};
        }
        file_hops(location.unfiled_sends, l);
        file_hops(location.unfiled_receives, l);
    }
}

void Collectives::number(int64_t horizon) {
    complete_across_threads();
    std::vector<Call> calls;
    for (size_t rank = 0; rank < locations_of_.size(); rank++) {
        calls.clear();
        for (size_t l : locations_of_[rank]) {
            LocationEvents &location = trace_.locations[l];
            for (int64_t i = numbered_[l]; i < location.calls.end(); i++)
                if (location.calls[i].enter < horizon && location.calls[i].collective == kNull64)
                    calls.push_back({l, i, static_cast<int32_t>(rank)});
        }
        auto enters_earlier = [&](const Call &a, const Call &b) {
            return trace_.locations[a.location].calls[a.index].enter <
                   trace_.locations[b.location].calls[b.index].enter;
        };
        if (!std::is_sorted(calls.begin(), calls.end(), enters_earlier))
            std::stable_sort(calls.begin(), calls.end(), enters_earlier);
        for (const Call &call : calls)
            place(call);
        for (size_t l : locations_of_[rank]) {
            const LocationEvents &location = trace_.locations[l];
            while (numbered_[l] < location.calls.end() && location.calls[numbered_[l]].collective != kNull64)
                numbered_[l]++;
        }
    }
    std::sort(unnumbered_.begin(), unnumbered_.end(), [](const auto &a, const auto &b) {
        return std::tie(a->first_enter, a->comm, a->seq) < std::tie(b->first_enter, b->comm, b->seq);
    });
    for (auto &collective : unnumbered_) {
        collective->id = next_id_++;
        const int32_t representative = trace_.comms->representative(collective->comm);
        collective->representative_seq =
            trace_.comms->has_equals(collective->comm) ? next_of_representative_[representative]++ : collective->seq;
        for (const Call &call : collective->calls)
            trace_.locations[call.location].calls[call.index].collective = collective->id;
        pending_.push_back(std::move(collective));
    }
    unnumbered_.clear();
}

void Collectives::sort_calls(Collective &collective) {
    std::sort(collective.calls.begin(), collective.calls.end(), [](const Call &a, const Call &b) {
        return std::tie(a.rank, a.location, a.index) < std::tie(b.rank, b.location, b.index);
    });
}

/* True if all calls of the collective are there and done, or missing calls can no longer come. */
bool Collectives::decided(Collective &collective) const {
    for (const Call &call : collective.calls) {
        const CallRecord &record = trace_.locations[call.location].calls[call.index];
        if (exhausted(call.rank))
            continue;
        if (record.open > 0)
            return false;
        /* If the rank has other threads, their unread events may still contain hops of this call. */
        const bool has_other_threads =
            trace_.comms->has_native() && locations_of_[static_cast<size_t>(call.rank)].size() > 1;
        if (has_other_threads && !read_past(call.rank, record.nonblocking ? record.complete : record.leave))
            return false;
    }
    sort_calls(collective);
    size_t ranks = 0;
    for (size_t i = 0; i < collective.calls.size(); i++)
        ranks += i == 0 || collective.calls[i].rank != collective.calls[i - 1].rank;
    const std::vector<int32_t> &members = trace_.comms->list()[static_cast<size_t>(collective.comm)].members;
    if (ranks >= members.size())
        return true;
    for (int32_t member : members) {
        auto position = std::lower_bound(collective.calls.begin(), collective.calls.end(), member,
                                         [](const Call &call, int32_t rank) { return call.rank < rank; });
        if ((position != collective.calls.end() && position->rank == member) || exhausted(member))
            continue;
        const auto &next = next_seq_[static_cast<size_t>(member)];
        auto seq = next.find(collective.comm);
        const bool passed = collective.seq < kFirstPersistent && seq != next.end() && seq->second > collective.seq;
        if (!passed)
            return false;
    }
    return true;
}

int64_t Collectives::weight_of(const Collective &collective) const {
    auto weight = static_cast<int64_t>(collective.calls.size());
    for (const Call &call : collective.calls)
        weight += trace_.locations[call.location].calls[call.index].hop_receives;
    return weight;
}

/* The largest id of a collective that has the previous call of one of this collective's calls; -1 if there is none. */
int64_t Collectives::last_needed_by(const Collective &collective) const {
    int64_t latest = -1;
    for (const Call &call : collective.calls) {
        const LocationEvents &location = trace_.locations[call.location];
        const int64_t previous = location.calls[call.index].previous;
        if (previous >= 0)
            latest = std::max(latest, location.calls[previous].collective);
    }
    return latest;
}

std::vector<std::unique_ptr<Collective>> Collectives::take(int64_t weight, bool last) {
    std::vector<std::unique_ptr<Collective>> batch;
    bool whole = false;
    while (!whole && ready_ < pending_.size()) {
        Collective &next = *pending_[ready_];
        if (!last && !decided(next))
            break;
        if (last)
            sort_calls(next);
        ready_++;
        ready_weight_ += weight_of(next);
        ready_needs_ = std::max(ready_needs_, last_needed_by(next));
        whole = ready_weight_ >= weight && ready_needs_ <= next.id;
    }
    if (!whole && !(last && ready_ == pending_.size()))
        return batch;
    for (size_t i = 0; i < ready_; i++) {
        Collective &collective = *pending_.front();
        open_.erase({collective.comm, collective.seq});
        for (const Call &call : collective.calls)
            trace_.locations[call.location].calls[call.index].call_id = next_call_id_++;
        next_taken_ = collective.id + 1;
        batch.push_back(std::move(pending_.front()));
        pending_.pop_front();
    }
    ready_ = 0;
    ready_weight_ = 0;
    ready_needs_ = -1;
    return batch;
}

void Collectives::forget_taken() {
    for (LocationEvents &location : trace_.locations) {
        Queue<CallRecord> &calls = location.calls;
        int64_t first = calls.begin(), keep_from = calls.begin();
        for (; first < calls.end(); first++) {
            const int64_t collective = calls[first].collective;
            if (collective == kNull64 || collective >= next_taken_)
                break;
            if (collective >= 0)
                keep_from = first; /* the row of the next call names this call */
        }
        const bool at_end = first == calls.end();
        location.hop_sends.drop_to(at_end ? location.hop_sends.end() : calls[first].first_hop_send);
        location.hop_receives.drop_to(at_end ? location.hop_receives.end() : calls[first].first_hop_receive);
        location.steps.drop_to(at_end ? location.steps.end() : calls[first].first_step);
        const int64_t horizon = at_end ? location.last : calls[first].enter;
        auto first_wait = std::find_if(location.hop_waits.begin(), location.hop_waits.end(),
                                       [&](const HopWait &wait) { return wait.end >= horizon; });
        location.hop_waits.erase(location.hop_waits.begin(), first_wait);
        calls.drop_to(keep_from);
    }
}

} // namespace hopscope
