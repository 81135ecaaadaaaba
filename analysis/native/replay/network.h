// The servers, such as interfaces and links, that messages between hosts pass; see Costs in program.h.
#pragma once

#include <algorithm>
#include <vector>

#include "program.h"

namespace hopscope::replay {

// The times at which the first and the last byte of a message reached its current place on its route.
struct Passage {
    double first, last;
};

// The route of messages from one host to another. They pass the servers at the places [first, far), then the latency,
// then the servers at [far, end). rts, cts: latencies of the two messages that open a rendezvous.
struct Route {
    int32_t first, far, end;
    double rts, cts;
    // True if the receiver gets messages in the order in which they reach the last server. That is so if the receiver
    // is alone on its host, all messages to that host come through this server, and no rendezvous and no slower server
    // delays a message's last byte.
    bool in_order = false;
};

class Network {
  public:
    // lane_hosts: the host of each lane.
    Network(const Costs &costs, const Column<int32_t> &lane_hosts);

    const Route &route(int32_t pair) const {
        return routes_[static_cast<size_t>(pair)];
    }
    // Sends a message through the server at a place of its route. The server is then busy until it is done with it.
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
    // True if messages reach the server at this place from different sources, so that events must put them in order.
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
    Column<int32_t> places_; // the number of the server at each place
    std::vector<Server> servers_;
    std::vector<Route> routes_; // per pair of hosts
};

} // namespace hopscope::replay
