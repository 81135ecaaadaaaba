#include "network.h"

#include <algorithm>

namespace hopscope::paths {

double Server::serve(double arrival, double duration) {
    const double end = std::max(arrival, busy_until_) + duration;
    if (duration > 0)
        busy_until_ = end;
    return end;
}

Network::Network(const Costs &costs)
    : costs_(costs), outbound_(costs.hosts), inbound_(costs.hosts), pairs_(costs.hosts * costs.hosts),
      shared_(costs.shared_per_byte.size) {}

void Network::begin(size_t ranks) {
    messages_.clear();
    rank_until_.assign(ranks, 0);
}

// Passes a message through a server. With cut-through, the first byte goes on while the others arrive, but the last
// byte cannot leave before it has arrived. message_time: the server's time per message. bytes_time: its time for the
// bytes.
Network::Passage Network::pass(Server &server, double message_time, double bytes_time, Passage passage) const {
    const double end = server.serve(passage.first, message_time + bytes_time);
    if (!costs_.cut_through)
        return {end, end};
    return {end - bytes_time, std::max(end, passage.last + message_time)};
}

Network::Passage Network::pass_interface(std::vector<Server> &interfaces, size_t host, double bytes, Passage passage) {
    const double bytes_time = costs_.interface_per_byte * bytes;
    if (costs_.interface_message + bytes_time <= 0)
        return passage;
    return pass(interfaces[host], costs_.interface_message, bytes_time, passage);
}

size_t Network::cluster_pair(const Message &message) const {
    return static_cast<size_t>(costs_.cluster[message.src_host]) * costs_.clusters +
           static_cast<size_t>(costs_.cluster[message.dst_host]);
}

// Sends a message on its way. Returns the time at which the sending rank is done with it.
double Network::hand_over(const Event &event) {
    const Message &m = messages_[event.progress.message];
    double t = event.t;
    if (rank_time(m.bytes) > 0) {
        double &busy_until = rank_until_[static_cast<size_t>(m.src)];
        busy_until = t = std::max(busy_until, t) + rank_time(m.bytes);
    }
    if (m.src_host != m.dst_host) {
        push(t, {event.progress.message, Stage::at_interface, 0, 0});
        return t;
    }
    const size_t pair = m.src_host * costs_.hosts + m.dst_host;
    push(t + costs_.latency[pair] + costs_.per_byte[pair] * m.bytes,
         {event.progress.message, rank_time(m.bytes) > 0 ? Stage::at_rank : Stage::visible, 0, 0});
    return t;
}

void Network::depart(const Event &event) {
    const Message &m = messages_[event.progress.message];
    const size_t pair = m.src_host * costs_.hosts + m.dst_host;
    Passage passage = pass_interface(outbound_, m.src_host, m.bytes, {event.t, event.t});
    if (costs_.clusters > 0) {
        const auto gateway = static_cast<size_t>(costs_.gateway_from[cluster_pair(m)]);
        if (costs_.gateway_from[cluster_pair(m)] >= 0 && gateway != m.src_host)
            passage = pass_interface(outbound_, gateway, m.bytes, pass_interface(inbound_, gateway, m.bytes, passage));
    }
    passage = pass(pairs_[pair], 0, costs_.per_byte[pair] * m.bytes, passage);
    if (costs_.clusters > 0 && costs_.shared_per_byte[cluster_pair(m)] > 0)
        passage = pass(shared_[cluster_pair(m)], 0, costs_.shared_per_byte[cluster_pair(m)] * m.bytes, passage);
    const double first = passage.first + costs_.latency[pair], last = passage.last + costs_.latency[pair];
    push(std::max(first, m.ready), {event.progress.message, Stage::at_host, first, last});
}

void Network::arrive(const Event &event) {
    const Message &m = messages_[event.progress.message];
    Passage passage{event.progress.first, event.progress.last};
    if (costs_.clusters > 0) {
        const auto gateway = static_cast<size_t>(costs_.gateway_to[cluster_pair(m)]);
        if (costs_.gateway_to[cluster_pair(m)] >= 0 && gateway != m.dst_host)
            passage = pass_interface(outbound_, gateway, m.bytes, pass_interface(inbound_, gateway, m.bytes, passage));
    }
    passage = pass_interface(inbound_, m.dst_host, m.bytes, passage);
    push(std::max(passage.last, event.t),
         {event.progress.message, rank_time(m.bytes) > 0 ? Stage::at_rank : Stage::visible, 0, 0});
}

void Network::take_in(const Event &event) {
    const Message &m = messages_[event.progress.message];
    double &busy_until = rank_until_[static_cast<size_t>(m.dst)];
    const double begin = std::max({event.t, busy_until, m.ready});
    if (begin > event.t) {
        events_.push({begin, event.order, event.progress}); // the rank is busy: try again when it is free
        return;
    }
    busy_until = begin + rank_time(m.bytes);
    push(busy_until, {event.progress.message, Stage::visible, 0, 0});
}

std::vector<double> due_times(const Costs &costs, const std::vector<Message> &messages, const Column<double> &sent) {
    struct Due {
        std::vector<double> times;
        void sent(const Message &, double) {}
        void visible(const Message &message, double t) {
            times[message.number] = t;
        }
    };
    Network network(costs);
    Due due{std::vector<double>(messages.size(), 0)};
    int32_t ranks = 0;
    for (const Message &message : messages)
        ranks = std::max({ranks, message.src + 1, message.dst + 1});
    network.begin(static_cast<size_t>(ranks));
    for (size_t i = 0; i < messages.size(); i++)
        network.send(sent[i], messages[i]);
    network.run(due);
    return due.times;
}

} // namespace hopscope::paths
