#include "network.h"

#include <algorithm>

namespace hopscope::paths {

double Server::serve(double at, double duration) {
    const double end = std::max(at, until_) + duration;
    if (duration > 0)
        until_ = end;
    return end;
}

Network::Network(const Costs &costs)
    : costs_(costs), out_(costs.hosts), in_(costs.hosts), pairs_(costs.hosts * costs.hosts),
      shared_(costs.shared_per_byte.size) {}

void Network::begin(size_t ranks) {
    messages_.clear();
    rank_until_.assign(ranks, 0);
}

// Cut through, the first byte goes on while the others come, and the last one has to come before it can go.
Network::Passage Network::pass(Server &server, double message_time, double bytes_time, Passage at) const {
    const double end = server.serve(at.first, message_time + bytes_time);
    if (!costs_.cut_through)
        return {end, end};
    return {end - bytes_time, std::max(end, at.last + message_time)};
}

Network::Passage Network::pass_interface(std::vector<Server> &interfaces, size_t host, double bytes, Passage at) {
    const double bytes_time = costs_.interface_per_byte * bytes;
    if (costs_.interface_message + bytes_time <= 0)
        return at;
    return pass(interfaces[host], costs_.interface_message, bytes_time, at);
}

size_t Network::cluster_pair(const Message &message) const {
    return static_cast<size_t>(costs_.cluster[message.from]) * costs_.clusters +
           static_cast<size_t>(costs_.cluster[message.to]);
}

// The rank's own time, until the message is on its way.
double Network::hand_over(const Event &event) {
    const Message &m = messages_[event.at.message];
    double t = event.t;
    if (rank_time(m.bytes) > 0) {
        double &until = rank_until_[static_cast<size_t>(m.src)];
        until = t = std::max(until, t) + rank_time(m.bytes);
    }
    if (m.from != m.to) {
        push(t, {event.at.message, Stage::at_interface, 0, 0});
        return t;
    }
    const size_t pair = m.from * costs_.hosts + m.to;
    push(t + costs_.latency[pair] + costs_.per_byte[pair] * m.bytes,
         {event.at.message, rank_time(m.bytes) > 0 ? Stage::at_rank : Stage::visible, 0, 0});
    return t;
}

void Network::depart(const Event &event) {
    const Message &m = messages_[event.at.message];
    const size_t pair = m.from * costs_.hosts + m.to;
    Passage at = pass_interface(out_, m.from, m.bytes, {event.t, event.t});
    if (costs_.clusters > 0) {
        const auto gateway = static_cast<size_t>(costs_.gateway_from[cluster_pair(m)]);
        if (costs_.gateway_from[cluster_pair(m)] >= 0 && gateway != m.from)
            at = pass_interface(out_, gateway, m.bytes, pass_interface(in_, gateway, m.bytes, at));
    }
    at = pass(pairs_[pair], 0, costs_.per_byte[pair] * m.bytes, at);
    if (costs_.clusters > 0 && costs_.shared_per_byte[cluster_pair(m)] > 0)
        at = pass(shared_[cluster_pair(m)], 0, costs_.shared_per_byte[cluster_pair(m)] * m.bytes, at);
    const double first = at.first + costs_.latency[pair], last = at.last + costs_.latency[pair];
    push(std::max(first, m.ready), {event.at.message, Stage::at_host, first, last});
}

void Network::arrive(const Event &event) {
    const Message &m = messages_[event.at.message];
    Passage at{event.at.first, event.at.last};
    if (costs_.clusters > 0) {
        const auto gateway = static_cast<size_t>(costs_.gateway_to[cluster_pair(m)]);
        if (costs_.gateway_to[cluster_pair(m)] >= 0 && gateway != m.to)
            at = pass_interface(out_, gateway, m.bytes, pass_interface(in_, gateway, m.bytes, at));
    }
    at = pass_interface(in_, m.to, m.bytes, at);
    push(std::max(at.last, event.t),
         {event.at.message, rank_time(m.bytes) > 0 ? Stage::at_rank : Stage::visible, 0, 0});
}

void Network::take_in(const Event &event) {
    const Message &m = messages_[event.at.message];
    double &until = rank_until_[static_cast<size_t>(m.dst)];
    const double begin = std::max({event.t, until, m.ready});
    if (begin > event.t) {
        events_.push({begin, event.order, event.at}); // in its turn among those that wait
        return;
    }
    until = begin + rank_time(m.bytes);
    push(until, {event.at.message, Stage::visible, 0, 0});
}

std::vector<double> due_times(const Costs &costs, const std::vector<Message> &messages, const Column<double> &sent) {
    struct Due {
        std::vector<double> at;
        void sent(const Message &, double) {}
        void visible(const Message &message, double t) {
            at[message.number] = t;
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
    return due.at;
}

} // namespace hopscope::paths
