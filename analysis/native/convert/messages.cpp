/* Matches messages by MPI's rule: among the messages with the same communicator, sender, receiver and tag, the n-th
 * send belongs to the n-th receive. Sends count in the order of their begins, receives in the order of their posts. A
 * wildcard receive gets its source and tag when it completes, but it, too, counts from its post. */
#include "messages.h"

#include <algorithm>
#include <tuple>

#include "../paths/time_order.h"
#include "both_ends.h"

namespace hopscope {

MessagePieces::MessagePieces(Making &making)
    : making_(making), trace_(making.trace), locations_of_(trace_.ranks->ranks.size()),
      receives_until_(trace_.ranks->ranks.size(), kNull64), comm_used_(trace_.comms->list().size(), false) {
    for (size_t l = 0; l < trace_.locations.size(); l++)
        locations_of_[static_cast<size_t>(trace_.locations[l].rank)].push_back(l);
}

void MessagePieces::join_threads() {
    for (const std::vector<size_t> &locations : locations_of_) {
        bool has_completions = false, all_exhausted = true;
        for (size_t l : locations) {
            has_completions = has_completions || !trace_.locations[l].foreign_completions.empty();
            all_exhausted = all_exhausted && trace_.locations[l].exhausted;
        }
        if (!has_completions)
            continue;
        for (size_t l : locations) {
            std::vector<ForeignCompletion> left;
            for (const ForeignCompletion &end : trace_.locations[l].foreign_completions) {
                bool is_completed = false;
                for (size_t o : locations) {
                    LocationEvents &opener = trace_.locations[o];
                    if (is_completed)
                        break;
                    if (const OpenSend *send = opener.open_sends.find(end.request);
                        !end.is_receive && send && !send->is_hop) {
                        SendRecord &record = opener.sends[send->index];
                        record.wait_begin = end.wait_begin;
                        record.end = end.end;
                        opener.open_sends.erase(end.request);
                        is_completed = true;
                    } else if (SendRecord *hop = opener.open_unfiled_sends.find(end.request); !end.is_receive && hop) {
                        hop->end = end.end;
                        opener.unfiled_sends.push_back(*hop);
                        opener.open_unfiled_sends.erase(end.request);
                        is_completed = true;
                    } else if (const OpenReceive *receive = opener.open_receives.find(end.request);
                               end.is_receive && receive) {
                        const OpenReceive open = *receive;
                        if (open.call >= 0)
                            opener.calls[open.call].open--;
                        ReceiveRecord record{open.post, end.wait_begin, end.end, end.bytes, open.order,  end.comm,
                                             end.peer,  end.tag,        -1,      -1,        end.recorded};
                        if (trace_.comms->shadow(end.comm)) {
                            record.wait_begin = kNull64; /* the thread that waited may be neither of the two */
                            record.by_times = end.waited;
                            opener.unfiled_receives.push_back(record);
                        } else {
                            opener.receives.push_back(record);
                        }
                        opener.open_receives.erase(end.request);
                        is_completed = true;
                    }
                }
                if (!is_completed && !all_exhausted)
                    left.push_back(end);
            }
            trace_.locations[l].foreign_completions = std::move(left);
        }
    }
}

/* Sets comm to a record's communicator and peer to the trace-wide rank of its peer. Returns false if the trace does not
 * define them. self: the record's own rank. */
template <typename Record>
bool MessagePieces::describe(const Record &record, int32_t self, int32_t &comm, int32_t &peer) const {
    comm = trace_.comms->number(record.comm, self);
    peer = comm < 0 ? -1 : trace_.comms->peer_rank(comm, self, record.peer);
    return peer >= 0;
}

void MessagePieces::take_up_sends(int64_t horizon) {
    struct PendingSend {
        const SendRecord *send; /* null for sends that were not recorded */
        MessageKey key;
        uint32_t location;
        uint64_t order; /* unrecorded sends come before the recorded send with the same place */
        uint64_t count;
    };
    PooledVector<PendingSend> sends;
    PooledVector<TimedIndex> order;
    auto take = [&](int64_t begin, const PendingSend &pending) {
        order.push_back({begin, static_cast<uint32_t>(sends.size())});
        sends.push_back(pending);
    };
    std::vector<int64_t> queue_ends(trace_.locations.size());
    int32_t comm = -1, peer = -1;
    for (size_t l = 0; l < trace_.locations.size(); l++) {
        LocationEvents &location = trace_.locations[l];
        const Queue<SendRecord> &queue = location.sends;
        int64_t &i = queue_ends[l] = queue.begin();
        for (; i < queue.end() && queue[i].begin < horizon; i++) {
            const SendRecord &send = queue[i];
            if (send.bytes < 0)
                continue; /* the request was cancelled */
            if (describe(send, location.rank, comm, peer))
                take(send.begin, {&send,
                                  {comm, location.rank, peer, send.tag},
                                  static_cast<uint32_t>(l),
                                  2 * static_cast<uint64_t>(i) + 1,
                                  1});
            else
                unmatched_sends_++;
        }
        for (const SkippedRecord &skipped : take_skipped(location, horizon, false))
            if (describe(skipped, location.rank, comm, peer))
                take(skipped.time, {nullptr,
                                    {comm, location.rank, peer, skipped.tag},
                                    static_cast<uint32_t>(l),
                                    2 * skipped.place,
                                    skipped.count});
    }
    sort_by_time(order, [&](uint32_t a, uint32_t b) {
        const PendingSend &left = sends[a], &right = sends[b];
        return std::tie(left.key.src, left.location, left.key.comm, left.key.dst, left.key.tag, left.order) <
               std::tie(right.key.src, right.location, right.key.comm, right.key.dst, right.key.tag, right.order);
    });
    for (const TimedIndex &entry : order) {
        const PendingSend &pending = sends[entry.place];
        int64_t number = kNotRecorded;
        if (pending.send)
            number = messages_.push_back({pending.key, entry.time, pending.send->wait_begin, pending.send->end,
                                          pending.send->bytes, kNull64, kNull64, kNull64, pending.location, 0,
                                          pending.send->call, State::Waiting});
        Waiting &waiting = waiting_.value_of(pending.key);
        sends_.push_back(waiting.sends, {number, pending.count});
        join(waiting);
    }
    for (size_t l = 0; l < trace_.locations.size(); l++)
        trace_.locations[l].sends.drop_to(queue_ends[l]);
}

/* Removes and returns the location's counts of unrecorded sends (or of receives) before the horizon. */
std::vector<SkippedRecord> MessagePieces::take_skipped(LocationEvents &location, int64_t horizon, bool receives) {
    std::vector<SkippedRecord> counts;
    size_t rest_count = 0;
    for (const SkippedRecord &skipped : location.skipped) {
        if (skipped.receives == receives && skipped.time < horizon)
            counts.push_back(skipped);
        else
            location.skipped[rest_count++] = skipped;
    }
    location.skipped.resize(rest_count);
    return counts;
}

void MessagePieces::take_up_receives() {
    struct PendingReceive {
        MessageKey key;
        Receive receive;
        uint64_t order;
    };
    PooledVector<PendingReceive> pending;
    PooledVector<TimedIndex> order;
    int32_t comm = -1, peer = -1;
    for (size_t rank = 0; rank < locations_of_.size(); rank++) {
        const auto self = static_cast<int32_t>(rank);
        int64_t horizon = kEver;
        for (size_t l : locations_of_[rank])
            horizon = std::min(horizon, trace_.locations[l].horizon.receives);
        if (horizon == receives_until_[rank] && horizon != kEver)
            continue;
        receives_until_[rank] = horizon;
        pending.clear();
        order.clear();
        auto take = [&](const PendingReceive &entry) {
            order.push_back({entry.receive.post, static_cast<uint32_t>(pending.size())});
            pending.push_back(entry);
        };
        for (size_t l : locations_of_[rank]) {
            const auto place = static_cast<uint32_t>(l);
            std::vector<ReceiveRecord> &receives = trace_.locations[l].receives;
            size_t open_count = 0;
            for (const ReceiveRecord &receive : receives) {
                if (receive.post >= horizon)
                    receives[open_count++] = receive;
                else if (describe(receive, self, comm, peer))
                    take({{comm, peer, self, receive.tag},
                          {receive.post, receive.wait_begin, receive.end, receive.bytes, 1, place, receive.recorded},
                          2 * receive.order + 1});
                else
                    unmatched_receives_ += receive.recorded;
            }
            receives.resize(open_count);
            for (const SkippedRecord &skipped : take_skipped(trace_.locations[l], horizon, true))
                if (describe(skipped, self, comm, peer))
                    take({{comm, peer, self, skipped.tag},
                          {skipped.time, kNull64, kNull64, 0, skipped.count, place, false},
                          2 * skipped.place});
        }
        sort_by_time(order, [&](uint32_t a, uint32_t b) {
            return std::tie(pending[a].receive.location, pending[a].order) <
                   std::tie(pending[b].receive.location, pending[b].order);
        });
        for (const TimedIndex &entry : order) {
            Waiting &waiting = waiting_.value_of(pending[entry.place].key);
            receives_.push_back(waiting.receives, pending[entry.place].receive);
            join(waiting);
        }
    }
}

/* Matches the first send with the first receive, as long as there are both. */
void MessagePieces::join(Waiting &waiting) {
    while (!waiting.sends.empty() && !waiting.receives.empty()) {
        Send &send = sends_.front(waiting.sends);
        Receive &receive = receives_.front(waiting.receives);
        const bool recorded = send.number != kNotRecorded;
        if (recorded && receive.recorded) {
            Message &message = messages_[send.number];
            /* If the rank polled for the message first, it waited from the first poll on, before the receive's post. */
            message.recv_post =
                receive.wait_begin == kNull64 ? receive.post : std::min(receive.post, receive.wait_begin);
            message.recv_wait_begin = receive.wait_begin;
            message.recv_end = receive.end;
            /* If a receive has only the size of its buffer, that is an upper bound of the message's size. */
            message.bytes = std::min(message.bytes, receive.bytes);
            message.dst_location = receive.location;
            const bool is_needless = message.send_call == paths::SendCall::epoch && receive.end < message.send_begin;
            message.state = is_needless ? State::Needless : State::Matched;
            sends_.pop_front(waiting.sends);
            receives_.pop_front(waiting.receives);
            continue;
        }
        /* The send, the receive or both were not recorded. They match, but make no row. */
        const uint64_t pair_count = std::min(send.count, receive.count);
        send.count -= pair_count;
        receive.count -= pair_count;
        if (send.count == 0) {
            if (recorded)
                messages_[send.number].state = State::Alone;
            sends_.pop_front(waiting.sends);
        }
        if (receive.count == 0) {
            unmatched_receives_ += receive.recorded;
            receives_.pop_front(waiting.receives);
        }
    }
}

void MessagePieces::match(const Horizon &horizon) {
    take_up_receives();
    take_up_sends(horizon.sends);
}

void MessagePieces::take(size_t rows, bool last, Tables &tables) {
    for (; decided_ < messages_.end(); decided_++) {
        Message &message = messages_[decided_];
        if (message.state == State::Needless)
            continue;
        if (message.state == State::Matched) {
            if (++ready_ == rows)
                give(decided_ + 1, rows, tables);
        } else if (last || message.state == State::Alone) {
            unmatched_sends_++;
        } else {
            /* If all threads of the receiver have ended, nobody will receive the message any more. */
            const std::vector<size_t> &receivers = locations_of_[static_cast<size_t>(message.key.dst)];
            if (!std::all_of(receivers.begin(), receivers.end(),
                             [&](size_t l) { return trace_.locations[l].exhausted; }))
                break;
            sends_.remove(waiting_.value_of(message.key).sends,
                          [&](const Send &send) { return send.number == decided_; });
            message.state = State::Alone;
            unmatched_sends_++;
        }
    }
    if (!last)
        return;
    give(decided_, ready_, tables);
    waiting_.visit_all([&](const Waiting &waiting) {
        receives_.visit_all(waiting.receives, [&](const Receive &receive) { unmatched_receives_ += receive.recorded; });
    });
}

/* Makes a table of the matched messages before index `end`, and drops all messages before it. rows: the number of
 * matched messages. */
void MessagePieces::give(int64_t end, size_t rows, Tables &tables) {
    const int64_t begin = messages_.begin();
    if (rows > 0) {
        const Words &words = *making_.words;
        const auto links = words.numbers(link_words);
        const auto bindings = words.numbers(binding_words);
        auto table = std::make_shared<Table>(making_.words, rows);
        auto &id = table->int64("message_id");
        auto &comm = table->int32("comm");
        auto &tag = table->int32("tag");
        BothEnds ends(*table, rows, false);
        auto &link = table->string("link");
        auto &clock_error = table->int64("clock_error_ns");
        auto &binding = table->string("binding");
        for (auto *column : {&comm, &tag, &link, &binding})
            column->resize(rows);
        id.resize(rows);
        clock_error.resize(rows);
        const int64_t first_id = next_id_;
        PooledVector<paths::SendCall> send_calls(rows);
        size_t row = 0;
        for (int64_t number = begin; number < end; number++) {
            const Message &message = messages_[number];
            if (message.state != State::Matched)
                continue;
            id[row] = next_id_++;
            comm[row] = trace_.comms->representative(message.key.comm);
            tag[row] = static_cast<int32_t>(message.key.tag & ~ARCHIVE_PARTITIONED);
            const link_class its_link =
                ends.set(row, trace_, message.key.src, message.key.dst, {message.src_location, message.src_location},
                         {message.dst_location, message.dst_location}, message.bytes,
                         {message.send_begin, message.send_wait_begin, message.send_end, message.recv_post,
                          message.recv_wait_begin, message.recv_end});
            link[row] = links[static_cast<size_t>(its_link)];
            clock_error[row] = trace_.span_ns(trace_.ranks->clock_error(message.key.src, message.key.dst));
            send_calls[row] = message.send_call;
            comm_used_[static_cast<size_t>(comm[row])] = true;
            row++;
        }
        paths::Messages piece = ends.view(first_id, clock_error);
        piece.send_call = paths::view(send_calls);
        classifier_.learn_transits(piece);
        classifier_.learn_waits(piece);
        const paths::BindingResult binding_result = classifier_.classify(piece);
        for (size_t i = 0; i < rows; i++)
            binding[i] = bindings[static_cast<size_t>(binding_result.binding[i])];
        making_.history->add(piece, binding_result);
        tables.emplace_back("messages", table);
    }
    messages_.drop_to(end);
    ready_ = 0;
}

} // namespace hopscope
