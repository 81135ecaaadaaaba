/* Messages do not overtake: among those of one communicator, pair and tag, the n-th send matches the n-th receive,
 * sends in the order of starting, receives in the order of posting. A wildcard receive names its actual source and tag
 * when it completes; it still matches by when it was posted. */
#include "messages.h"

#include <algorithm>
#include <tuple>

#include "both_ends.h"

namespace hopscope {

MessagePieces::MessagePieces(Making &making)
    : making_(making), trace_(making.trace), locations_of_(trace_.ranks->ranks.size()),
      receives_until_(trace_.ranks->ranks.size(), kNull64), comm_used_(trace_.comms->all().size(), false) {
    for (size_t l = 0; l < trace_.locations.size(); l++)
        locations_of_[static_cast<size_t>(trace_.locations[l].rank)].push_back(l);
}

void MessagePieces::join_threads() {
    for (const std::vector<size_t> &locations : locations_of_) {
        bool any = false, all_ended = true;
        for (size_t l : locations) {
            any = any || !trace_.locations[l].foreign_completions.empty();
            all_ended = all_ended && trace_.locations[l].ended;
        }
        if (!any)
            continue;
        for (size_t l : locations) {
            std::vector<ForeignCompletion> left;
            for (const ForeignCompletion &end : trace_.locations[l].foreign_completions) {
                bool found = false;
                for (size_t o : locations) {
                    LocationEvents &opener = trace_.locations[o];
                    if (found)
                        break;
                    if (const OpenSend *send = opener.open_sends.find(end.request);
                        !end.is_receive && send && !send->is_hop) {
                        SendRecord &record = opener.sends[send->index];
                        record.wait_begin = end.wait_begin;
                        record.end = end.end;
                        opener.open_sends.erase(end.request);
                        found = true;
                    } else if (const OpenReceive *receive = opener.open_receives.find(end.request);
                               end.is_receive && receive) {
                        const OpenReceive open = *receive;
                        if (open.call >= 0)
                            opener.calls[open.call].open--;
                        opener.receives.push_back({open.post, end.wait_begin, end.end, end.bytes, open.order, end.comm,
                                                   end.peer, end.tag, -1, end.recorded});
                        opener.open_receives.erase(end.request);
                        found = true;
                    }
                }
                if (!found && !all_ended)
                    left.push_back(end);
            }
            trace_.locations[l].foreign_completions = std::move(left);
        }
    }
}

/* The communicator's number and the trace-wide rank at the other end; false if the trace does not know them. */
template <typename Record>
bool MessagePieces::describe(const Record &record, int32_t self, int32_t &comm, int32_t &peer) const {
    comm = trace_.comms->number(record.comm, self);
    peer = comm < 0 ? -1 : trace_.comms->peer_rank(comm, self, record.peer);
    return peer >= 0;
}

void MessagePieces::take_up_sends(int64_t horizon) {
    struct Taken {
        Message message;
        uint64_t order; /* what is not recorded comes before the recorded one of its place */
        uint64_t count;
        bool recorded;
    };
    Kept<Taken> sends;
    int32_t comm = -1, peer = -1;
    for (size_t l = 0; l < trace_.locations.size(); l++) {
        LocationEvents &location = trace_.locations[l];
        Queue<SendRecord> &queue = location.sends;
        int64_t i = queue.begin();
        for (; i < queue.end() && queue[i].begin < horizon; i++) {
            const SendRecord &send = queue[i];
            if (send.bytes < 0)
                continue; /* cancelled */
            if (describe(send, location.rank, comm, peer))
                sends.push_back({{{comm, location.rank, peer, send.tag}, send, l, {}, State::Waiting},
                                 2 * static_cast<uint64_t>(i) + 1,
                                 1,
                                 true});
            else
                unmatched_sends_++;
        }
        queue.drop_to(i);
        for (const SkippedRecord &skipped : take_skipped(location, horizon, false))
            if (describe(skipped, location.rank, comm, peer)) {
                Taken taken{{{comm, location.rank, peer, skipped.tag}, {}, l, {}, State::Waiting},
                            2 * skipped.place,
                            skipped.count,
                            false};
                taken.message.send.begin = skipped.time;
                sends.push_back(taken);
            }
    }
    std::stable_sort(sends.begin(), sends.end(), [](const Taken &a, const Taken &b) {
        const Message &left = a.message, &right = b.message;
        return std::tie(left.send.begin, left.key.src, left.location, left.key.comm, left.key.dst, left.key.tag,
                        a.order) < std::tie(right.send.begin, right.key.src, right.location, right.key.comm,
                                            right.key.dst, right.key.tag, b.order);
    });
    for (const Taken &taken : sends) {
        const int64_t number = taken.recorded ? messages_.push_back(taken.message) : kNotRecorded;
        Waiting &waiting = waiting_[taken.message.key];
        waiting.sends.push_back({number, taken.count});
        join(waiting);
        if (waiting.sends.empty() && waiting.receives.empty())
            waiting_.erase(taken.message.key);
    }
}

/* Counts of messages that are not recorded, of one direction, before the horizon. */
std::vector<SkippedRecord> MessagePieces::take_skipped(LocationEvents &location, int64_t horizon, bool receives) {
    std::vector<SkippedRecord> taken;
    size_t kept = 0;
    for (const SkippedRecord &skipped : location.skipped) {
        if (skipped.receives == receives && skipped.time < horizon)
            taken.push_back(skipped);
        else
            location.skipped[kept++] = skipped;
    }
    location.skipped.resize(kept);
    return taken;
}

void MessagePieces::take_up_receives() {
    struct Taken {
        Key key;
        Receive receive;
        uint64_t order;
    };
    Kept<Taken> taken;
    int32_t comm = -1, peer = -1;
    for (size_t rank = 0; rank < locations_of_.size(); rank++) {
        const auto self = static_cast<int32_t>(rank);
        int64_t horizon = kEver;
        for (size_t l : locations_of_[rank])
            horizon = std::min(horizon, trace_.locations[l].horizon.receives);
        if (horizon == receives_until_[rank] && horizon != kEver)
            continue;
        receives_until_[rank] = horizon;
        taken.clear();
        for (size_t l : locations_of_[rank]) {
            std::vector<ReceiveRecord> &receives = trace_.locations[l].receives;
            size_t kept = 0;
            for (const ReceiveRecord &it : receives) {
                if (it.post >= horizon)
                    receives[kept++] = it;
                else if (describe(it, self, comm, peer))
                    taken.push_back({{comm, peer, self, it.tag},
                                     {it.post, it.wait_begin, it.end, it.bytes, l, 1, it.recorded},
                                     2 * it.order + 1});
                else
                    unmatched_receives_ += it.recorded;
            }
            receives.resize(kept);
            for (const SkippedRecord &skipped : take_skipped(trace_.locations[l], horizon, true))
                if (describe(skipped, self, comm, peer))
                    taken.push_back({{comm, peer, self, skipped.tag},
                                     {skipped.time, kNull64, kNull64, 0, l, skipped.count, false},
                                     2 * skipped.place});
        }
        std::sort(taken.begin(), taken.end(), [](const Taken &a, const Taken &b) {
            return std::tie(a.receive.post, a.receive.location, a.order) <
                   std::tie(b.receive.post, b.receive.location, b.order);
        });
        for (const Taken &it : taken) {
            Waiting &waiting = waiting_[it.key];
            waiting.receives.push_back(it.receive);
            join(waiting);
            if (waiting.sends.empty() && waiting.receives.empty())
                waiting_.erase(it.key);
        }
    }
}

/* The first ends of both sides belong together, as long as there are two. */
void MessagePieces::join(Waiting &waiting) {
    while (!waiting.sends.empty() && !waiting.receives.empty()) {
        Waiting::Send &send = waiting.sends.front();
        Receive &receive = waiting.receives.front();
        const bool recorded = send.number != kNotRecorded;
        if (recorded && receive.recorded) {
            messages_[send.number].receive = receive;
            messages_[send.number].state = State::Matched;
            waiting.sends.pop_front();
            waiting.receives.pop_front();
            continue;
        }
        /* One of the two is not in the trace. */
        const uint64_t both = std::min(send.count, receive.count);
        send.count -= both;
        receive.count -= both;
        if (send.count == 0) {
            if (recorded)
                messages_[send.number].state = State::Alone;
            waiting.sends.pop_front();
        }
        if (receive.count == 0) {
            unmatched_receives_ += receive.recorded;
            waiting.receives.pop_front();
        }
    }
}

void MessagePieces::match(const Horizon &horizon) {
    take_up_receives();
    take_up_sends(horizon.sends);
}

void MessagePieces::take(size_t rows, bool last, Tables &out) {
    int64_t next = messages_.begin();
    for (; next < messages_.end(); next++) {
        const Message &message = messages_[next];
        if (message.state == State::Matched) {
            ready_.push_back(message);
        } else if (last || message.state == State::Alone) {
            unmatched_sends_++;
        } else {
            /* Who has come to the end and received nothing more will not receive it. */
            const std::vector<size_t> &receivers = locations_of_[static_cast<size_t>(message.key.dst)];
            if (!std::all_of(receivers.begin(), receivers.end(), [&](size_t l) { return trace_.locations[l].ended; }))
                break;
            std::deque<Waiting::Send> &waiting = waiting_[message.key].sends;
            waiting.erase(std::find_if(waiting.begin(), waiting.end(),
                                       [&](const Waiting::Send &send) { return send.number == next; }));
            unmatched_sends_++;
        }
        if (ready_.size() == rows) {
            give(ready_, out);
            ready_.clear();
        }
    }
    messages_.drop_to(next);
    if (!last)
        return;
    give(ready_, out);
    ready_.clear();
    for (const auto &[key, waiting] : waiting_)
        for (const Receive &receive : waiting.receives)
            unmatched_receives_ += receive.recorded;
    waiting_.clear();
}

void MessagePieces::give(const std::vector<Message> &messages, Tables &out) {
    if (messages.empty())
        return;
    const Words &words = *making_.words;
    const int32_t links[] = {words.find("self"), words.find("shm"), words.find("lan"), words.find("wan")};
    const int32_t bindings[] = {words.find("recv"), words.find("send"), words.find("none"), words.find("undecided")};
    auto table = std::make_shared<Table>(making_.words, messages.size());
    auto &id = table->int64("message_id");
    auto &comm = table->int32("comm");
    auto &tag = table->int32("tag");
    BothEnds ends(*table, false);
    auto &link = table->string("link");
    auto &clock_error = table->int64("clock_error_ns");
    auto &binding = table->string("binding");
    const int64_t first_id = next_id_;
    for (const Message &message : messages) {
        const Key &key = message.key;
        id.push_back(next_id_++);
        comm.push_back(key.comm);
        /* Without the bit that keeps partitioned messages apart: schemas/otf2.md. */
        tag.push_back(static_cast<int32_t>(key.tag & 0x7fffffffu));
        /* A receive of which nothing but its buffer is known says how much could have come. */
        const int64_t bytes = std::min(message.send.bytes, message.receive.bytes);
        const Link its_link = ends.add(trace_, key.src, key.dst, message.location, message.receive.location, bytes,
                                       message.send, message.receive);
        link.push_back(links[static_cast<size_t>(its_link)]);
        clock_error.push_back(trace_.span_ns(trace_.ranks->clock_error(key.src, key.dst)));
        comm_used_[static_cast<size_t>(key.comm)] = true;
    }
    const paths::Messages piece = ends.view(first_id, clock_error);
    judge_.learn_transits(piece);
    judge_.learn_waits(piece);
    const paths::BindingResult judged = judge_.judge(piece);
    for (int8_t code : judged.binding)
        binding.push_back(bindings[code]);
    making_.history->add(piece, judged);
    out.emplace_back("messages", table);
}

} // namespace hopscope
