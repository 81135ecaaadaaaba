#include "network.h"

#include <cmath>

namespace hopscope::replay {

Network::Network(const Costs &costs, const Column<int32_t> &lane_hosts)
    : cut_through_(costs.cut_through), places_(costs.server) {
    for (size_t i = 0; i < costs.service.size; i++)
        servers_.push_back({0, costs.service[i], costs.service_per_byte[i], costs.rest[i], false});
    std::vector<int> lanes(costs.hosts, 0);
    for (size_t lane = 0; lane < lane_hosts.size; lane++)
        lanes[static_cast<size_t>(lane_hosts[lane])]++;
    // A lane alone on its host sends in order of time, except that a rendezvous waits for its CTS.
    const bool has_rendezvous = std::any_of(costs.eager_bytes.data, costs.eager_bytes.data + costs.eager_bytes.size,
                                            [](double bytes) { return std::isfinite(bytes); });
    // Per server: the source of its messages, which is another server or the lane of a host. Numbers of hosts follow
    // the numbers of servers.
    constexpr int64_t UNSET = -1, SHARED = -2;
    std::vector<int64_t> sources(servers_.size(), UNSET);
    for (size_t pair = 0; pair < costs.link.size; pair++) {
        const auto link = static_cast<size_t>(costs.link[pair]);
        const Route route{static_cast<int32_t>(costs.first_server[pair]), static_cast<int32_t>(costs.far[pair]),
                          static_cast<int32_t>(costs.first_server[pair + 1]), costs.rts[link], costs.cts[link]};
        routes_.push_back(route);
        const size_t host = pair / costs.hosts;
        for (int32_t place = route.first; place < route.end; place++) {
            int64_t source = SHARED;
            if (place != route.far && place > route.first)
                source = costs.server[static_cast<size_t>(place - 1)];
            else if (place < route.far && lanes[host] <= 1 && !has_rendezvous)
                source = static_cast<int64_t>(servers_.size() + host);
            int64_t &server_source = sources[static_cast<size_t>(costs.server[static_cast<size_t>(place)])];
            server_source = server_source == UNSET || server_source == source ? source : SHARED;
        }
    }
    // Per host: the last server of all messages to it; SHARED if they do not all have the same one.
    std::vector<int64_t> last(costs.hosts, UNSET);
    for (size_t pair = 0; pair < routes_.size(); pair++) {
        const size_t host = pair / costs.hosts, destination = pair % costs.hosts;
        if (host == destination)
            continue;
        const Route &route = routes_[pair];
        const int64_t server = passes_whole(route) ? costs.server[static_cast<size_t>(route.end - 1)] : SHARED;
        last[destination] = last[destination] == UNSET || last[destination] == server ? server : SHARED;
    }
    for (size_t pair = 0; pair < routes_.size(); pair++) {
        const size_t host = pair / costs.hosts, destination = pair % costs.hosts;
        routes_[pair].in_order =
            host != destination && last[destination] != SHARED && lanes[destination] == 1 && !has_rendezvous;
    }
    for (size_t server = 0; server < sources.size(); server++)
        servers_[server].is_shared = sources[server] == SHARED;
}

// True if messages leave the route's last server in the order of their arrival. That is so if every server passes
// messages on whole (no cut-through), or if no earlier server is slower, so that a message's last byte does not come
// late.
bool Network::passes_whole(const Route &route) {
    if (route.far == route.end)
        return false;
    for (int32_t place = route.first; place < route.end - 1; place++)
        if (cut_through_ && at_place(place).per_byte > at_place(route.end - 1).per_byte)
            return false;
    return true;
}

} // namespace hopscope::replay
