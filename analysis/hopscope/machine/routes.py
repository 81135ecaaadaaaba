"""Makes the machine that the compiled replay simulates: links between hosts, and servers on them (interfaces and shared
links) that serve one message at a time.

It is made from a run's fitted costs, with or without emulation, or from published models. Times in ns, sizes in bytes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields
from typing import Any

import numpy as np

from hopscope.machine.costs import RENDEZVOUS_LATENCIES, Costs
from hopscope.machine.hops import Array
from hopscope.machine.published import Hockney, LogGP, PLogP
from hopscope.vocabulary.links import LINKS


@dataclass(frozen=True)
class Link:
    """A message's latency, and the times that it takes its sender and its receiver; each also per byte.

    A message of more than eager_bytes is sent by rendezvous: its sender is blocked until the CTS has come and the
    message has been sent. A shorter message is copied, so its sender goes on at once. announcement_ns, answer_ns: the
    latencies of RTS and CTS. announced_ns, announced_per_byte_ns: replace latency_ns and per_byte_ns for a message by
    rendezvous. Where these four are None, latency_ns or per_byte_ns is used.
    """

    latency_ns: float = 0.0
    per_byte_ns: float = 0.0
    send_ns: float = 0.0
    send_per_byte_ns: float = 0.0
    receive_ns: float = 0.0
    receive_per_byte_ns: float = 0.0
    eager_bytes: float = math.inf
    announcement_ns: float | None = None
    answer_ns: float | None = None
    announced_ns: float | None = None
    announced_per_byte_ns: float | None = None

    @property
    def columns(self) -> tuple[float, ...]:
        """Every field as a number; latency_ns or per_byte_ns instead of None."""
        *base, rts, cts, message, per_byte = astuple(self)
        defaults = (*[self.latency_ns] * 3, self.per_byte_ns)
        phases = zip((rts, cts, message, per_byte), defaults, strict=True)
        return (*base, *(default if value is None else value for value, default in phases))


@dataclass(frozen=True)
class Server:
    """An interface or a shared link, which serves one message at a time: for service_ns plus service_per_byte_ns per
    byte. Then it serves no message for rest_ns."""

    service_ns: float = 0.0
    service_per_byte_ns: float = 0.0
    rest_ns: float = 0.0


@dataclass(frozen=True)
class Work:
    """The times of a rank's own work: to enter and leave a collective, to combine a message and to copy one; the last
    two also per byte."""

    enter_ns: float = 0.0
    leave_ns: float = 0.0
    combine_ns: float = 0.0
    combine_per_byte_ns: float = 0.0
    copy_ns: float = 0.0
    copy_per_byte_ns: float = 0.0


NO_SERVER = -1
NO_WORK = Work()


def machine(
    link: Array,
    links: Sequence[Link],
    *,
    send_servers: Sequence[Array] = (),
    receive_servers: Sequence[Array] = (),
    servers: Sequence[Server] = (),
    work: Work = NO_WORK,
    cut_through: bool = True,
    emulates: bool = False,
) -> dict[str, Any]:
    """The machine as `hopscope.native._replay.replay` takes it.

    In matrices, rows are the sending hosts and columns the receiving ones. link: the index in `links` for each pair of
    hosts. send_servers, receive_servers: the servers that a message passes before and after its latency, in order. Each
    server is a matrix with its index in `servers` for each pair of hosts, or NO_SERVER. cut_through: True if servers
    forward a message's first bytes while the others still arrive.

    emulates: True if messages behave as over the engine's emulated links. In a rendezvous, only the sender then waits
    for the receive. send_servers serve messages in the order of sending. receive_servers serve a message only when its
    receive is posted, but the service counts from the message's arrival if no other message came in between.
    """
    hosts = len(link)
    places = (
        np.stack([*send_servers, *receive_servers], axis=-1)
        if send_servers or receive_servers
        else np.full((hosts, hosts, 0), NO_SERVER)
    )
    passes = places != NO_SERVER
    first = np.concatenate([[0], np.cumsum(passes.sum(axis=-1).ravel())])
    return {
        "hosts": hosts,
        "link": link.ravel().astype(np.int32),
        **_columns(Link, links),
        "first_server": first.astype(np.int64),
        "far": first[:-1] + passes[:, :, : len(send_servers)].sum(axis=-1).ravel(),
        "server": places[passes].astype(np.int32),
        **_columns(Server, servers),
        "cut_through": cut_through,
        "emulates": emulates,
        **vars(work),
    }


def _columns(kind: type[Link] | type[Server], rows: Sequence[Link | Server]) -> dict[str, Array]:
    columns = [row.columns if isinstance(row, Link) else astuple(row) for row in rows]
    values = np.asarray(columns, np.float64).reshape(len(rows), len(fields(kind)))
    return {field.name: np.ascontiguousarray(values[:, i]) for i, field in enumerate(fields(kind))}


def interfaces(hosts: int) -> tuple[Array, Array]:
    """The sending and the receiving interface of each pair of hosts, as two matrices of server numbers. Host h sends by
    server h and receives by server hosts + h; NO_SERVER within a host."""
    outbound, inbound = np.meshgrid(np.arange(hosts), np.arange(hosts), indexing="ij")
    inbound = inbound + hosts
    np.fill_diagonal(outbound, NO_SERVER)
    np.fill_diagonal(inbound, NO_SERVER)
    return outbound, inbound


def published(
    model: Hockney | LogGP | PLogP, hosts: int, size: float, receivers: Array | None = None
) -> dict[str, Any]:
    """The machine of a published model, with messages of one size. Each host has one rank, and can send and receive at
    the same time.

    In Hockney's model, sender and receiver are busy for the whole time of a message. In LogGP, an interface is busy for
    g + (m - 1) G. In PLogP it is busy for g(m), which includes the ranks' own times o_s(m) and o_r(m). receivers: as in
    `published_by_class`.
    """
    return published_by_class([model], np.zeros((hosts, hosts), np.int32), size, receivers)


def _published(model: Hockney | LogGP | PLogP, size: float) -> tuple[Link, Server, Server]:
    """The model as a link, a server at its sending end, and a server at its receiving end."""
    if isinstance(model, Hockney):
        time = model.message(size)
        return Link(), Server(service_ns=time), Server(rest_ns=time)
    if isinstance(model, LogGP):
        rest = max(0.0, model.g - model.G)
        server = Server(0.0, model.G, rest if size > 0 else model.g)
        return Link(max(0.0, model.L - min(1, size) * model.G), 0.0, model.o, 0.0, model.o), server, server
    g, o_s, o_r = model.g(size), model.o_s(size), model.o_r(size)
    return Link(max(0.0, model.L + g - o_s - o_r), 0.0, o_s, 0.0, o_r), Server(rest_ns=g), Server(rest_ns=g)


def _for_destinations(model: Hockney | LogGP | PLogP, destinations: int) -> Hockney | LogGP | PLogP:
    return model if isinstance(model, Hockney) else model.for_destinations(destinations)


def published_by_class(
    models: Sequence[Hockney | LogGP | PLogP], model_of_pair: Array, size: float, receivers: Array | None = None
) -> dict[str, Any]:
    """The machine of several published models, with messages of one size. Each rank counts as a host, and has its own
    interfaces for each model. model_of_pair: the index of the model for each pair of ranks.

    receivers: a boolean matrix, True if the row's rank sends to the column's rank. If a model has gaps by number of
    destinations, the number of a rank's receivers selects them.
    """
    ranks = len(model_of_pair)
    parts = [_published(model, size) for model in models]
    outbound, inbound = interfaces(ranks)
    servers: list[Server] = []
    for number, (model, (_, sending, receiving)) in enumerate(zip(models, parts, strict=True)):
        counts = [1] * ranks if receivers is None else (receivers & (model_of_pair == number)).sum(axis=1).tolist()
        by_count = {count: _published(_for_destinations(model, count), size)[1] for count in counts if count > 1}
        servers += [by_count.get(count, sending) for count in counts]
        servers += [receiving] * ranks
    first = 2 * ranks * model_of_pair
    send_servers, receive_servers = (np.where(end == NO_SERVER, NO_SERVER, end + first) for end in (outbound, inbound))
    gamma = max((model.gamma for model in models), default=0.0)
    work = Work(combine_per_byte_ns=gamma)
    return machine(
        model_of_pair,
        [link for link, *_ in parts],
        send_servers=[send_servers],
        receive_servers=[receive_servers],
        servers=servers,
        work=work,
    )


def fitted(costs: Costs, host_clusters: Sequence[int]) -> dict[str, Any]:
    """The machine that the costs of a run describe. host_clusters: the cluster of each host."""
    arrays = costs.arrays(host_clusters)
    hosts, clusters = int(arrays["hosts"]), int(arrays["clusters"])
    square = (hosts, hosts)
    latency, per_byte = arrays["latency_ns"].reshape(square), arrays["per_byte_ns"].reshape(square)
    same_host = np.eye(hosts, dtype=bool)
    local, rank_ns, rank_per_byte = costs.local, costs.machine.rank_message_ns, costs.machine.rank_per_byte_ns
    # A fitted latency contains the sender's time for the message, but not an emulated time of the rank. Between hosts,
    # bytes occupy the pair's link, so that messages queue; inside a host they only take time.
    ends = [(costs.links[name].send_ns, costs.links[name].receive_ns) for name in LINKS]
    classes = costs.classes(host_clusters)
    send = np.asarray([local.send_ns if send_ns is None else send_ns for send_ns, _ in ends])[classes]
    send = np.maximum(send, rank_ns)
    receive = (
        np.asarray([local.receive_ns if receive_ns is None else receive_ns for _, receive_ns in ends])[classes]
        + rank_ns
    )
    eager = np.asarray([costs.links[name].eager_bytes for name in LINKS])[classes]
    phases = [arrays[name].reshape(square) for name in RENDEZVOUS_LATENCIES]
    wire, *rendezvous = (np.maximum(0.0, time - (send - rank_ns)) for time in (latency, *phases))
    inner_per_byte = np.where(same_host, per_byte, 0.0)
    rendezvous_per_byte = inner_per_byte + arrays["announced_per_byte_ns"].reshape(square)
    columns = [wire, inner_per_byte, send, receive, eager, *rendezvous, rendezvous_per_byte]
    times = np.stack(columns, axis=-1).reshape(-1, len(columns))
    kinds, link = np.unique(times, axis=0, return_inverse=True)
    links = [
        Link(ns, byte_ns, send_ns, rank_per_byte, receive_ns, rank_per_byte, *rendezvous)
        for ns, byte_ns, send_ns, receive_ns, *rendezvous in kinds.tolist()
    ]
    interface = Server(arrays["interface_message_ns"], arrays["interface_per_byte_ns"])
    servers = [interface] * (2 * hosts)
    outbound, inbound = interfaces(hosts)
    send_servers, receive_servers = [outbound], [inbound]
    if clusters:
        sending_gateways, receiving_gateways = _gateways(arrays, same_host)
        send_servers, receive_servers = [*send_servers, *sending_gateways], [*receiving_gateways, *receive_servers]
    send_servers.append(_links(servers, np.where(same_host, 0.0, per_byte), np.arange(hosts * hosts).reshape(square)))
    if clusters:
        cluster = arrays["cluster"]
        number = cluster[:, None] * clusters + cluster[None, :]
        send_servers.append(_links(servers, np.where(same_host, 0.0, arrays["shared_per_byte_ns"][number]), number))
    idle = np.asarray([server == Server() for server in servers])
    for matrix in (*send_servers, *receive_servers):
        matrix[(matrix != NO_SERVER) & idle[matrix]] = NO_SERVER
    combine, copy = (local.combine_ns, local.combine_per_byte_ns), (local.copy_ns, local.copy_per_byte_ns)
    work = Work(local.enter_ns, local.leave_ns, *combine, *copy)
    return machine(
        link.reshape(square),
        links,
        send_servers=send_servers,
        receive_servers=receive_servers,
        servers=servers,
        work=work,
        cut_through=costs.machine.cut_through,
        emulates=costs.machine.emulated,
    )


def _gateways(arrays: dict[str, Any], same_host: Array) -> tuple[list[Array], list[Array]]:
    """The interfaces of gateways that messages between two clusters pass before the latency, and those that they pass
    after it. Both are lists of matrices, as in `machine`."""
    hosts, cluster = int(arrays["hosts"]), arrays["cluster"]
    pair = cluster[:, None] * int(arrays["clusters"]) + cluster[None, :]
    passed: list[list[Array]] = []
    for end, host in (("from", np.arange(hosts)[:, None]), ("to", np.arange(hosts)[None, :])):
        gateway = arrays[f"gateway_{end}"][pair]
        gateway = np.where(same_host | (gateway == host), NO_SERVER, gateway).astype(np.int64)
        passed.append([np.where(gateway == NO_SERVER, NO_SERVER, gateway + hosts), gateway])
    return passed[0], passed[1]


def _links(servers: list[Server], per_byte: Array, number: Array) -> Array:
    """Adds a server to `servers` for each link that takes time per byte, and returns the server of each pair of hosts.
    number: the link of each pair; pairs with the same number share a link."""
    server_of_pair = np.full(per_byte.shape, NO_SERVER, np.int64)
    for pair_number in np.unique(number[per_byte > 0]).tolist():
        pairs = (number == pair_number) & (per_byte > 0)
        server_of_pair[pairs] = len(servers)
        servers.append(Server(0.0, float(per_byte[pairs][0])))
    return server_of_pair
