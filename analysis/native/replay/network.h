// The servers that messages pass between hosts; see Costs in program.h.
#pragma once

#include <algorithm>
#include <vector>

#include "program.h"

namespace hopscope::replay {

// A message on its way: the times at which its first and its last byte reached its current place.
struct Passage {
    double first, last;
};

// The route of a message from one host to another: servers [first, far), then the latency, then servers [far, end).
// rts, cts: latencies of the messages that open a rendezvous.
struct Route {
    int32_t first, far, end;
    double rts, cts;
    // The receiver gets messages in the order in which they pass the last server. This needs three things: the receiver
    // is alone on its host, all messages come through that server, and they come whole.
    bool in_order = false;
};

class Network {
  public:
    // lane_hosts: the hosts of all lanes that send.
    Network(const Costs &costs, const Column<int32_t> &lane_hosts);

    const Route &route(int32_t pair) const {
        return routes_[static_cast<size_t>(pair)];
    }
    // Sends a message through the server at a place of its route, and occupies the server.
    Passage pass(int32_t place, double bytes, Passage passage) {
        Server &server = at_place(place);
        const double bytes_time = server.per_byte * bytes;
        const double end = std::max(passage.first, server.free_at) + server.service + bytes_time;
        server.free_at = end + server.rest;
        if (!cut_through_)
            return {end, end};
        // The last byte cannot leave before it has arrived.
        return {std::max(passage.first, end - bytes_time), std::max(end, passage.last + server.service)};
    }
    // True if messages come to this server from several sides, so that they must be put in order first.
    bool is_shared(int32_t place) {
        return at_place(place).is_shared;
    }

  private:
    struct Server {
        double free_at, service, per_byte, rest;
        bool is_shared;
    };
    Server &at_place(int32_t place) {
        return servers_[static_cast<size_t>(places_[static_cast<size_t>(place)])];
    }

    bool passes_whole(const Route &route);

    bool cut_through_;
    Column<int32_t> places_; // the server at each
    std::vector<Server> servers_;
    std::vector<Route> routes_; // per pair of hosts
};

} // namespace hopscope::replay
