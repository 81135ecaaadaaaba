"""Fits the costs of links, pairs of hosts and interfaces to the hops of a run.

Only hops for which a rank waited (binding hops) are used: others have no exact arrival time, because their receiver
only noticed them later. On an emulated machine, the queues and the links' latencies are known, so only the software's
time is fitted.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hopscope.machine.costs import INTRA_HOST, SMALL, Costs, HostPair, LinkCost, LocalCost
from hopscope.machine.emulated import REAL, Machine
from hopscope.machine.hops import Array, Hops
from hopscope.vocabulary.links import LINKS, link_class

# The fit includes an interface that serves one message at a time only if this reduces the residuals by at least this
# share. A smaller share may be chance.
EXPLAINS = 0.1
# A pair of hosts is outlying if its latency deviates by more than OUTLYING, as a share of its class's latency, in at
# least OUTLYING_HOPS hops, or in FASTER_HOPS hops if the pair is faster.
OUTLYING, OUTLYING_HOPS, FASTER_HOPS = 0.25, 5, 2
# If clocks may be wrong by more than this share of a hop's time, the mean of both directions is used.
CLOCK_MATTERS = 0.05


def interface_delays(hops: Hops, per_message_ns: float, latency_ns: Array, per_byte_ns: float = 0.0) -> Array:
    """The delay of each hop, ns, in the interfaces of both hosts, which serve one message at a time; 0 within a host.

    At the sending interface, messages queue in the order in which their sends began; at the receiving one, in the order
    of arrival. Messages of different collectives do not queue for each other. latency_ns: the time of each hop between
    the interfaces.
    """
    delay = np.zeros(len(hops.sent))
    remote = np.flatnonzero(hops.src_host != hops.dst_host)
    service = per_message_ns + per_byte_ns * hops.size[remote]
    if not (service > 0).any():
        return delay
    departure = _queue(hops.collective[remote], hops.src_host[remote], hops.sent[remote], service)
    arrival = departure + latency_ns[remote]
    delay[remote] = (
        _queue(hops.collective[remote], hops.dst_host[remote], arrival, service)
        - latency_ns[remote]
        - hops.sent[remote]
    )
    return delay


def _queue(collective: Array, host: Array, ready: Array, service: Array) -> Array:
    """The time when each message leaves its host's queue, which serves one message at a time: done = service +
    max(ready, done of the previous message)."""
    # Take times relative to each collective's first message. Such small numbers stay exact in the sums below.
    _, collectives = np.unique(collective, return_inverse=True)
    first = np.full(int(collectives.max(initial=-1)) + 1, np.inf)
    np.minimum.at(first, collectives, ready)
    starts, ready = first[collectives], ready - first[collectives]
    order = np.lexsort((ready, host, collective))
    new = np.ones(len(order), bool)
    new[1:] = (collective[order][1:] != collective[order][:-1]) | (host[order][1:] != host[order][:-1])
    group = np.cumsum(new) - 1
    # Within a group (one queue): done[i] - (sum of service up to i) = max over j <= i of ready[j] - (sum of service
    # before j). Adding an offset to each group, above the values of the previous one, computes all groups in one pass.
    total = np.cumsum(service[order])
    prior_service = total - service[order]
    prior_service -= prior_service[np.flatnonzero(new)[group]]
    slack = ready[order] - prior_service
    lift = (slack.max(initial=0) - slack.min(initial=0) + 1) * group
    done = np.maximum.accumulate(slack + lift) - lift + prior_service + service[order]
    result = np.empty(len(order))
    result[order] = done
    return result + starts


def fit_links(hops: Hops, machine: Machine = REAL, delays: Array | None = None, carried_ns: float = 0.0) -> Costs:
    """Fits the latency and time per byte of each link class, the outlying pairs of hosts, and the time that a host's
    interface takes for a message or byte.

    Only binding hops are fitted. The interface's time is the one with the smallest residuals, or 0 if no time reduces
    them by at least the share EXPLAINS. A class without binding hops gets the values of the next slower class or, if
    there is none, of the next faster class, with hops = 0. So no tree is preferred because of links that were not
    measured.

    If only one direction of an outlying pair of hosts has binding hops, the other direction gets the same latency, but
    at most the shortest time that a message took there. A direction without binding hops counts as measured only if the
    shortest time of a message there is at most 1 + OUTLYING times the expected latency.

    On an emulated machine the links' latencies are known, so only the software's time is fitted. delays: the time in ns
    that the machine's queues added to each hop; None: computed from these hops alone. carried_ns: the least software
    time of a class without binding hops.
    """
    if machine.emulated:
        return _fit_emulated(hops, machine, machine.delays(hops) if delays is None else delays, carried_ns)
    transit, pair = _transit(hops), _pairs_of(hops)
    best = _with_interfaces(hops, transit, pair, _fit_with_interface(hops, transit, pair, (0.0, 0.0)))
    _, links, service, pairs = best
    directed = _measured(hops)
    limits = _latency_limits(hops, links)
    reverse = {(b, a): latency for (a, b), latency in pairs.items() if (b, a) not in directed}
    pairs |= {way: min(latency, limits.get(way, latency)) for way, latency in reverse.items()}
    costs = Costs(with_stand_ins(links), LocalCost(), *service, pairs, machine=machine)
    class_of = dict(zip(hops.host_pairs(), hops.link.tolist(), strict=True))
    latency = {way: pairs.get(way, costs.links[LINKS[class_of[way]]].latency_ns) for way in limits}
    as_expected = {way for way, limit in limits.items() if limit <= (1 + OUTLYING) * latency[way]}
    return replace(costs, measured=frozenset(directed | as_expected))


def fit_classes(hops: Hops) -> tuple[dict[str, LinkCost], dict[HostPair, float]]:
    """The costs of the classes of links with binding hops, and the latencies of outlying pairs of hosts, fitted without
    a time of interfaces."""
    _, links, _, pairs = _fit_with_interface(hops, _transit(hops), _pairs_of(hops), (0.0, 0.0))
    return links, pairs


def _latency_limits(hops: Hops, links: dict[str, LinkCost]) -> dict[HostPair, float]:
    """An upper limit of the latency of each directed pair of hosts: the shortest time of a message for which no rank
    waited, less the time of its bytes."""
    per_byte = np.asarray([links[name].per_byte_ns if name in links else 0.0 for name in LINKS])
    took = np.maximum(0.0, hops.received - hops.sent + hops.clock_error - per_byte[hops.link] * hops.size)
    idle = np.flatnonzero(~hops.binding & (hops.src_host != hops.dst_host))
    slowest_first = hops.select(idle[np.argsort(-took[idle], kind="stable")])
    return dict(zip(slowest_first.host_pairs(), np.sort(took[idle])[::-1].tolist(), strict=True))


def _pairs_of(hops: Hops) -> Array:
    """A number for each hop's directed pair of hosts."""
    return hops.src_host * (int(max(hops.src_host.max(initial=0), hops.dst_host.max(initial=0))) + 1) + hops.dst_host


def _measured(hops: Hops) -> set[HostPair]:
    """The directed pairs of hosts with binding hops between them."""
    waited = hops.binding & (hops.src_host != hops.dst_host)
    return set(zip(hops.src_host[waited].tolist(), hops.dst_host[waited].tolist(), strict=True))


def _fit_emulated(hops: Hops, machine: Machine, delays: Array, carried_ns: float) -> Costs:
    """Fits only the software's time, because the emulated latency of every pair of hosts is known.

    A class without binding hops gets the longest software time of any class, at least carried_ns. Pairs of hosts in one
    class may have different emulated latencies, so in each hop's time, its pair's latency is first replaced by the
    median of its class.
    """
    clusters, emulated = np.asarray([*machine.host_clusters, *machine.gateways_clusters]), machine.latencies()
    emulated_ns = emulated[hops.src_host, hops.dst_host]
    used = {link: hops.binding & (hops.link == link) for link in range(len(LINKS))}
    typical = {
        link: float(np.median(emulated_ns[hops_of_link])) for link, hops_of_link in used.items() if hops_of_link.any()
    }
    alike = np.asarray([typical.get(link, 0.0) for link in range(len(LINKS))])[hops.link]
    _, links, _, _ = _fit_with_interface(
        hops, _transit(hops) - delays - emulated_ns + alike, _pairs_of(hops), (0.0, 0.0)
    )
    software = {LINKS[link]: max(0.0, links[LINKS[link]].latency_ns - middle) for link, middle in typical.items()}
    if INTRA_HOST in software and not links[INTRA_HOST].tells_bytes and links[INTRA_HOST].most_bytes > SMALL:
        # Inside a host, the time to copy a long message is not hidden by an emulated delay. If all messages have one
        # size, the software time beyond the other classes' is taken as time per byte.
        bytes_ns = software[INTRA_HOST] - min(software.values())
        software[INTRA_HOST] -= bytes_ns
        link = links[INTRA_HOST]
        per_byte = link.per_byte_ns + bytes_ns / link.most_bytes
        links[INTRA_HOST] = replace(link, latency_ns=link.latency_ns - bytes_ns, per_byte_ns=per_byte)
    unknown = max(carried_ns, *software.values(), 0.0)
    pairs: dict[HostPair, float] = {}
    for a, b in np.ndindex(emulated.shape):
        name = link_class(same_rank=False, same_host=a == b, same_cluster=bool(clusters[a] == clusters[b]))
        pairs[a, b] = float(emulated[a, b]) + software.get(name, unknown)
    measured = frozenset((a, b) for a, b in pairs if a != b)
    service = machine.interface_message_ns, 0.0
    return Costs(with_stand_ins(links), LocalCost(), *service, pairs, measured, machine=machine)


_Service = tuple[float, float]
"""An interface's time per message, and per byte."""
_Fit = tuple[float, dict[str, LinkCost], _Service, dict[HostPair, float]]
"""A fit: the sum of absolute residuals, the costs by link class, the interface's time and the outlying pairs."""


def _with_interfaces(hops: Hops, transit: Array, pair: Array, base: _Fit) -> _Fit:
    """The fit with the time of interfaces, per message or per byte, that has the smallest residuals; `base`, the fit
    without such a time, if that reduces the residuals too little.

    Long messages of only one size do not show if the time is per message or per byte. It is then taken as per byte,
    because an interface is faster with a short message than with a long one.
    """
    best = base
    # Hops between hosts show the interface's time: concurrent messages arrive one such time apart.
    remote = hops.binding & (hops.src_host != hops.dst_host)
    sizes = np.unique(hops.size[remote])
    long = remote & (hops.size > SMALL)
    units: list[tuple[_Service, float]] = []
    if len(sizes) > 1 or (len(sizes) and not long.any()):
        units.append(((1.0, 0.0), float(np.median(transit[remote]))))
    if long.any():
        units.append(((0.0, 1.0 / float(np.median(hops.size[long]))), float(np.median(transit[long]))))
    # Search a coarse grid of times, then a finer grid around its best time.
    for (per_message, per_byte), scale in units:
        if scale <= 0:
            continue
        nearest = base
        centre = 0.0
        for _ in range(2):
            wide, fine = np.geomspace(scale / 1000, scale, 40), np.linspace(centre * 0.8, centre * 1.25, 41)
            for time in (fine if centre else wide).tolist():
                fitted = _fit_with_interface(hops, transit, pair, (per_message * time, per_byte * time))
                if fitted[0] < nearest[0]:
                    nearest, centre = fitted, time
        # If all messages are long, a time per byte is preferred even if its residuals are slightly larger.
        is_bytes = per_byte > 0 and best is not base and sizes.min() > SMALL
        if nearest[0] < best[0] * (1 / (1 - EXPLAINS) if is_bytes else 1.0):
            best = nearest
    return base if best[0] > (1 - EXPLAINS) * base[0] else best


def with_stand_ins(fitted: dict[str, LinkCost]) -> dict[str, LinkCost]:
    """The costs of every class of links. A class without fitted hops gets the costs of the next slower class or, if
    there is none, of the next faster class."""
    links: dict[str, LinkCost] = {}
    for place, name in enumerate(LINKS):
        faster = [fitted[class_name] for class_name in LINKS[:place] if class_name in fitted]
        slower = [fitted[class_name] for class_name in LINKS[place + 1 :] if class_name in fitted]
        neighbours = [*slower[:1], *faster[-1:]]
        if name in fitted or not neighbours:
            links[name] = fitted.get(name, LinkCost(0.0))
        elif name == "self":
            links[name] = LinkCost(0.0, neighbours[0].per_byte_ns)
        else:
            # Never use costs below the costs of a nearer class of links, even if a few hops suggest it.
            faster_ns = max((link.latency_ns for link in faster), default=0.0)
            per_byte = max((link.per_byte_ns for link in (*faster, neighbours[0])), default=0.0)
            links[name] = replace(
                neighbours[0],
                latency_ns=max(neighbours[0].latency_ns, faster_ns),
                per_byte_ns=per_byte,
                hops=0,
            )
    return links


def _transit(hops: Hops) -> Array:
    """The time of each hop from send to receive, ns. If clock errors matter, and two ranks have one binding hop in each
    direction, both hops get half of the sum of their times, in which the errors cancel."""
    transit = (hops.received - hops.sent).astype(np.float64)
    width = int(max(hops.src.max(initial=0), hops.dst.max(initial=0))) + 1
    low, high = np.minimum(hops.src, hops.dst), np.maximum(hops.src, hops.dst)
    _, edge = (
        np.unique(np.stack([hops.collective, low * width + high, hops.segment]), axis=1, return_inverse=True)
        if len(transit)
        else (None, np.zeros(0, np.int64))
    )
    edges = int(edge.max(initial=-1)) + 1
    ups = np.bincount(edge[hops.up & hops.binding], minlength=edges)
    downs = np.bincount(edge[~hops.up & hops.binding], minlength=edges)
    round_trip = (ups == 1) & (downs == 1)
    total = np.bincount(edge[hops.binding], weights=transit[hops.binding], minlength=edges)
    doubtful = hops.clock_error > CLOCK_MATTERS * np.abs(transit)
    paired = hops.binding & doubtful & round_trip[edge] if edges else hops.binding
    transit[paired] = total[edge[paired]] / 2
    return transit


def _fit_with_interface(hops: Hops, transit: Array, pair: Array, service: _Service) -> _Fit:
    # The order in the receiving queue depends on the latency between the interfaces. Its median is good enough here.
    guess = np.zeros(len(transit))
    busy = service[0] + service[1] * hops.size
    for link in range(len(LINKS)):
        rows = hops.link == link
        if (rows & hops.binding).any():
            guess[rows] = max(0.0, float(np.median((transit - 2 * busy)[rows & hops.binding])))
    net = transit - interface_delays(hops, service[0], guess, service[1])
    links: dict[str, LinkCost] = {}
    pairs: dict[HostPair, float] = {}
    loss = 0.0
    for link, name in enumerate(LINKS):
        rows = np.flatnonzero((hops.link == link) & hops.binding)
        if not len(rows):
            continue
        latency, per_byte = line_of(hops.size[rows].astype(np.float64), net[rows])
        sizes = hops.size[rows]
        least_bytes, most_bytes = float(sizes.min()), float(sizes.max())
        tells_bytes = most_bytes > SMALL and most_bytes >= 2 * least_bytes
        different = tuple(np.unique(sizes).astype(np.float64).tolist())
        links[name] = LinkCost(max(0.0, latency), per_byte, len(rows), most_bytes, different, tells_bytes)
        residual = net[rows] - links[name].latency_ns - per_byte * hops.size[rows]
        loss += float(np.abs(residual).sum())
        for number in np.unique(pair[rows]):
            of_pair = pair[rows] == number
            deviation = float(np.median(residual[of_pair]))
            variability = float(np.median(np.abs(residual[of_pair] - deviation)))
            # If a pair's messages always contend with another pair's, their deviation may be time in queues.
            queued = 2 * float(np.median(busy[rows][of_pair]))
            # Disturbances only make messages slower, but wrong clocks can make a pair seem faster.
            doubt = float(hops.clock_error[rows][of_pair].max()) if deviation < 0 else 0.0
            least_hops = FASTER_HOPS if deviation < 0 else OUTLYING_HOPS
            if of_pair.sum() >= least_hops and abs(deviation) > max(OUTLYING * latency, 3 * variability, queued, doubt):
                first = rows[of_pair][0]
                pairs[int(hops.src_host[first]), int(hops.dst_host[first])] = max(0.0, latency + deviation)
    return loss, links, service, pairs


def line_of(size: Array, time: Array) -> tuple[float, float]:
    """Latency and time per byte by weighted least squares over the median of each size. With a single size, the time
    per byte is 0."""
    sizes, groups = np.unique(size, return_inverse=True)
    medians = np.asarray([np.median(time[groups == i]) for i in range(len(sizes))])
    if len(sizes) == 1:
        return float(medians[0]), 0.0
    weights = np.sqrt(np.bincount(groups))
    slope, latency = np.polyfit(sizes, medians, 1, w=weights)
    if slope > 0 and latency >= 0:
        return float(latency), float(slope)
    # The sizes are too close to show a line, or longer messages queued or were sent by rendezvous. Then the result is
    # either only a time per byte (the smallest of all sizes) or only a latency, whichever fits better.
    middle, per_byte = float(np.median(time)), float((medians[sizes > 0] / sizes[sizes > 0]).min())
    bytes_error, error = np.abs(time - per_byte * size).sum(), np.abs(time - middle).sum()
    return (0.0, per_byte) if slope > 0 and bytes_error < error else (middle, 0.0)
