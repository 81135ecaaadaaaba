// The servers that messages pass between hosts; see Costs in program.h.
#pragma once

#include <algorithm>
#include <vector>

#include "program.h"

namespace hopscope::replay {

// A message on its way: when its first and its last byte got where it is.
struct Passage {
    double first, last;
};

// The route of a message from one host to another: the places [first, far), the latency, the places [far, end).
// rts, cts: latencies of the messages that open a rendezvous.
struct Route {
    int32_t first, far, end;
    double rts, cts;
    // The receiver gets messages in the order in which they pass the last server: it is alone on its host, all come
    // through that server, and they come whole.
    bool in_order = false;
};

class Network {
  public:
    // lane_hosts: of all lanes that send.
    Network(const Costs &costs, const Column<int32_t> &lane_hosts);

    const Route &route(int32_t pair) const {
        return routes_[static_cast<size_t>(pair)];
    }
    // Passes the server at this place, and occupies it.
    Passage pass(int32_t place, double bytes, Passage passage) {
        Server &server = at_place(place);
        const double bytes_time = server.per_byte * bytes;
        const double end = std::max(passage.first, server.free_at) + server.service + bytes_time;
        server.free_at = end + server.rest;
        if (!cut_through_)
            return {end, end};
        // The last byte has to come before it can go.
        return {std::max(passage.first, end - bytes_time), std::max(end, passage.last + server.service)};
    }
    // Messages come to this server from several sides, so they must be put in order first.
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
