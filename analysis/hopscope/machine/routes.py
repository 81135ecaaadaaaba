"""What the compiled replay takes for the machine: links between hosts, and what serves one message at a time on them.

The fitted costs of a run, an emulated machine and each published model are such machines. Times in ns, sizes in bytes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields
from typing import Any

import numpy as np

from hopscope.machine.costs import ANNOUNCED, Costs
from hopscope.machine.hops import Array
from hopscope.machine.published import Hockney, LogGP, PLogP
from hopscope.vocabulary.links import LINKS


@dataclass(frozen=True)
class Link:
    """A message's latency, and what it takes the two ranks; each also per byte.

    A message of more than eager_bytes is announced first: it goes when its receive is posted and the sender knows that.
    Its sender is held until it has gone; of shorter ones it keeps a copy. announcement_ns, answer_ns: the latencies
    of what announces it and of the answer; announced_ns, announced_per_byte_ns: what it then takes itself in the place
    of latency_ns and per_byte_ns. None: as long as these.
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
        """Every field as a number."""
        *known, announcement, answer, announced, per_byte = astuple(self)
        instead = (*[self.latency_ns] * 3, self.per_byte_ns)
        own = zip((announcement, answer, announced, per_byte), instead, strict=True)
        return (*known, *(other if value is None else value for value, other in own))


@dataclass(frozen=True)
class Server:
    """An interface or a shared link. It serves one message at a time for service_ns and more per byte, then rests."""

    service_ns: float = 0.0
    service_per_byte_ns: float = 0.0
    rest_ns: float = 0.0


@dataclass(frozen=True)
class Work:
    """What a rank does by itself: entering and leaving a collective; a combination and a copy, also per byte."""

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
    near: Sequence[Array] = (),
    far: Sequence[Array] = (),
    servers: Sequence[Server] = (),
    work: Work = NO_WORK,
    cut_through: bool = True,
    emulates: bool = False,
) -> dict[str, Any]:
    """As `hopscope.native._replay.replay` takes it.

    Matrices are from host x to host. link: rows of links. near, far: the servers that a message passes before and after
    its latency, one matrix for each in its turn; NO_SERVER where there is none. cut_through: a message's first byte
    goes on while the others come. emulates: messages go as over the engine's emulated links. Of one that is announced,
    only the sender waits for the receive; near servers serve in the order of sending; far ones serve a message only
    when its receive is posted, from when it was there if nothing came between.
    """
    hosts = len(link)
    places = np.stack([*near, *far], axis=-1) if near or far else np.full((hosts, hosts, 0), NO_SERVER)
    passes = places != NO_SERVER
    first = np.concatenate([[0], np.cumsum(passes.sum(axis=-1).ravel())])
    return {
        "hosts": hosts,
        "link": link.ravel().astype(np.int32),
        **_columns(Link, links),
        "first_server": first.astype(np.int64),
        "far": first[:-1] + passes[:, :, : len(near)].sum(axis=-1).ravel(),
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
    """The sending and the receiving interface of each pair of hosts: servers [0, hosts) and [hosts, 2 * hosts)."""
    out, into = np.meshgrid(np.arange(hosts), np.arange(hosts), indexing="ij")
    into = into + hosts
    np.fill_diagonal(out, NO_SERVER)
    np.fill_diagonal(into, NO_SERVER)
    return out, into


def published(
    model: Hockney | LogGP | PLogP, hosts: int, size: float, receivers: Array | None = None
) -> dict[str, Any]:
    """The machine of a published model, with messages of one size: each host has one rank and full-duplex interfaces.

    Hockney's ranks are busy with a message from its beginning to its end, at either side. LogGP's interfaces are busy
    for g + (m - 1) G, and PLogP's for g(m), of which o_s(m) and o_r(m) are the ranks' own.
    """
    return published_by_class([model], np.zeros((hosts, hosts), np.int32), size, receivers)


def _published(model: Hockney | LogGP | PLogP, size: float) -> tuple[Link, Server, Server]:
    """The link, and what sends onto it and receives from it."""
    if isinstance(model, Hockney):
        time = model.message(size)
        return Link(), Server(service_ns=time), Server(rest_ns=time)
    if isinstance(model, LogGP):
        rest = max(0.0, model.g - model.G)
        server = Server(0.0, model.G, rest if size > 0 else model.g)
        return Link(max(0.0, model.L - min(1, size) * model.G), 0.0, model.o, 0.0, model.o), server, server
    g, o_s, o_r = model.g(size), model.o_s(size), model.o_r(size)
    return Link(max(0.0, model.L + g - o_s - o_r), 0.0, o_s, 0.0, o_r), Server(rest_ns=g), Server(rest_ns=g)


def _towards(model: Hockney | LogGP | PLogP, destinations: int) -> Hockney | LogGP | PLogP:
    return model if isinstance(model, Hockney) else model.towards(destinations)


def published_by_class(
    models: Sequence[Hockney | LogGP | PLogP], which: Array, size: float, receivers: Array | None = None
) -> dict[str, Any]:
    """The machine of several published models, with messages of one size: between two ranks it is the one whose number
    `which` has. Each rank counts as a host, with interfaces of its own to the links of each model.

    receivers: whom each rank sends to, which decides its gaps where they are known by the number of destinations.
    """
    ranks = len(which)
    parts = [_published(model, size) for model in models]
    out, into = interfaces(ranks)
    servers: list[Server] = []
    for number, (model, (_, sending, receiving)) in enumerate(zip(models, parts, strict=True)):
        counts = [1] * ranks if receivers is None else (receivers & (which == number)).sum(axis=1).tolist()
        several = {count: _published(_towards(model, count), size)[1] for count in counts if count > 1}
        servers += [several.get(count, sending) for count in counts]
        servers += [receiving] * ranks
    first = 2 * ranks * which
    near, far = (np.where(end == NO_SERVER, NO_SERVER, end + first) for end in (out, into))
    gamma = max((model.gamma for model in models), default=0.0)
    work = Work(combine_per_byte_ns=gamma)
    return machine(which, [link for link, *_ in parts], near=[near], far=[far], servers=servers, work=work)


def fitted(costs: Costs, host_clusters: Sequence[int]) -> dict[str, Any]:
    """The machine that the costs of a run describe. host_clusters: the cluster of each host."""
    arrays = costs.arrays(host_clusters)
    hosts, clusters = int(arrays["hosts"]), int(arrays["clusters"])
    square = (hosts, hosts)
    latency, per_byte = arrays["latency_ns"].reshape(square), arrays["per_byte_ns"].reshape(square)
    inside = np.eye(hosts, dtype=bool)
    local, rank_ns, rank_per_byte = costs.local, costs.machine.rank_message_ns, costs.machine.rank_per_byte_ns
    # A fitted latency begins with the send, and so contains it, but not what a message costs its rank meanwhile on an
    # emulated machine. Between hosts bytes queue for the pair's link; inside one they only take time.
    ends = [(costs.links[name].send_ns, costs.links[name].receive_ns) for name in LINKS]
    classes = costs.classes(host_clusters)
    send = np.asarray([local.send_ns if own is None else own for own, _ in ends])[classes]
    send = np.maximum(send, rank_ns)
    receive = np.asarray([local.receive_ns if own is None else own for _, own in ends])[classes] + rank_ns
    eager = np.asarray([costs.links[name].eager_bytes for name in LINKS])[classes]
    own = [arrays[name].reshape(square) for name in ANNOUNCED]
    wire, *announced = (np.maximum(0.0, time - (send - rank_ns)) for time in (latency, *own))
    each = np.where(inside, per_byte, 0.0)
    announced_each = each + arrays["announced_per_byte_ns"].reshape(square)
    columns = [wire, each, send, receive, eager, *announced, announced_each]
    times = np.stack(columns, axis=-1).reshape(-1, len(columns))
    kinds, link = np.unique(times, axis=0, return_inverse=True)
    links = [
        Link(ns, each, out, rank_per_byte, into, rank_per_byte, *announced)
        for ns, each, out, into, *announced in kinds.tolist()
    ]
    interface = Server(arrays["interface_message_ns"], arrays["interface_per_byte_ns"])
    servers = [interface] * (2 * hosts)
    out, into = interfaces(hosts)
    near, far = [out], [into]
    if clusters:
        before, behind = _gateways(arrays, inside)
        near, far = [*near, *before], [*behind, *far]
    near.append(_links(servers, np.where(inside, 0.0, per_byte), np.arange(hosts * hosts).reshape(square)))
    if clusters:
        cluster = arrays["cluster"]
        number = cluster[:, None] * clusters + cluster[None, :]
        near.append(_links(servers, np.where(inside, 0.0, arrays["shared_per_byte_ns"][number]), number))
    idle = np.asarray([server == Server() for server in servers])
    for matrix in (*near, *far):
        matrix[(matrix != NO_SERVER) & idle[matrix]] = NO_SERVER
    combine, copy = (local.combine_ns, local.combine_per_byte_ns), (local.copy_ns, local.copy_per_byte_ns)
    work = Work(local.enter_ns, local.leave_ns, *combine, *copy)
    return machine(
        link.reshape(square),
        links,
        near=near,
        far=far,
        servers=servers,
        work=work,
        cut_through=costs.machine.cut_through,
        emulates=costs.machine.emulated,
    )


def _gateways(arrays: dict[str, Any], inside: Array) -> tuple[list[Array], list[Array]]:
    """The interfaces of gateways that each pair of hosts passes before and behind the latency."""
    hosts, cluster = int(arrays["hosts"]), arrays["cluster"]
    pair = cluster[:, None] * int(arrays["clusters"]) + cluster[None, :]
    passed: list[list[Array]] = []
    for end, own in (("from", np.arange(hosts)[:, None]), ("to", np.arange(hosts)[None, :])):
        gateway = arrays[f"gateway_{end}"][pair]
        gateway = np.where(inside | (gateway == own), NO_SERVER, gateway).astype(np.int64)
        passed.append([np.where(gateway == NO_SERVER, NO_SERVER, gateway + hosts), gateway])
    return passed[0], passed[1]


def _links(servers: list[Server], per_byte: Array, number: Array) -> Array:
    """Adds a server for each number whose pairs of hosts take time per byte; which one each pair passes."""
    which = np.full(per_byte.shape, NO_SERVER, np.int64)
    for one in np.unique(number[per_byte > 0]).tolist():
        mine = (number == one) & (per_byte > 0)
        which[mine] = len(servers)
        servers.append(Server(0.0, float(per_byte[mine][0])))
    return which
