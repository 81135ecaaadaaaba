"""Finds causes in hosts and in the links between them: a host or link that is slower than its peers, or ranks on the
wrong hosts.

A link joins two clusters or, inside a cluster, two hosts. Its peers are the other links of its class.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Final

import numpy as np
import pyarrow as pa

from hopscope.dataset.path_columns import Array
from hopscope.errors import InputError
from hopscope.explain.diagnosis.entry import Cost
from hopscope.explain.diagnosis.messages import MessageCause
from hopscope.explain.diagnosis.rerun import Rerun
from hopscope.vocabulary.links import LINKS
from hopscope.vocabulary.words import BINDINGS

_SLOWER: Final = 1.5
"""A link is slow if its messages take this multiple of its peers' time."""
_LEAST_MESSAGES: Final = 5
"""Fewer messages of one size say nothing about a link."""
_LEAST_PEERS: Final = 2
_MOST_MESSAGES: Final = 1_000_000
"""The largest number of messages for which a diagnosis looks for a better rank order, because the search takes long.
`analyze reorder` has no such limit."""

_TABLES: Final = ("hops", "messages")
_SIZES: Final = 64
"""The number of classes of message sizes; each class spans a power of two."""
_RECV: Final = list(BINDINGS).index("recv")
_LAN, _WAN = (list(LINKS).index(name) for name in ("lan", "wan"))


@dataclass(frozen=True)
class _Waits:
    """Messages between hosts that a rank waited for. table: 0 for hops, 1 for messages. row: the row in that table.
    took: the time that the message took, in ns.

    kind: a number for the link's class and the size class. ends: a number for the two clusters or, inside a cluster,
    for the two hosts.
    """

    table: Array
    row: Array
    took: Array
    kind: Array
    ends: Array


def host_of_ranks(ranks: tuple[int, ...], table: pa.Table) -> str | None:
    """The host of these ranks. None unless they are all ranks of one host, at least two, and there is another host."""
    hosts = dict(zip(table["rank"].to_pylist(), table["host"].to_pylist(), strict=True))
    host_names = {hosts[rank] for rank in ranks if rank in hosts}
    if len(host_names) != 1 or len(ranks) < 2 or len(set(hosts.values())) < 2:
        return None
    (host,) = host_names
    return host if {rank for rank, rank_host in hosts.items() if rank_host == host} == {*ranks} else None


def slow_link_cause(rerun: Rerun) -> MessageCause | None:
    """The link whose messages lose most time against those of its peers; None if no link is clearly slower."""
    names, of_lane = _ends(rerun)
    parts = [_waits(rerun, number, of_lane) for number in range(len(_TABLES))]
    waits = _Waits(*(np.concatenate([getattr(part, column.name) for part in parts]) for column in fields(_Waits)))
    slow = _slow(waits)
    if not slow:
        return None
    savings = np.zeros(len(waits.row))
    of_link: dict[tuple[int, int], float] = {}
    for kind, (ends, times) in slow.items():
        mask = (waits.kind == kind) & (waits.ends == ends)
        savings[mask] = waits.took[mask] * (1 - 1 / times)
        link = kind // _SIZES, ends
        of_link[link] = of_link.get(link, 0.0) + float(savings[mask].sum())
    link, ends = max(of_link, key=lambda candidate: of_link[candidate])
    link_mask = (waits.kind // _SIZES == link) & (waits.ends == ends) & (savings > 0)
    changes: dict[str, Array] = {}
    for number, table in enumerate(_TABLES):
        mask = link_mask & (waits.table == number)
        changes |= {f"{table}.row": waits.row[mask], f"{table}.less_ns": savings[mask].astype(np.int64)}
    places = names[int(link == _WAN)]
    times = max(times for kind, (kind_ends, times) in slow.items() if (kind // _SIZES, kind_ends) == (link, ends))
    return MessageCause(
        "slow-link", changes, hosts=tuple(places[number] for number in divmod(ends, len(places))), times=times
    )


def _ends(rerun: Rerun) -> tuple[list[list[str]], list[Array]]:
    """The names of all hosts and of all clusters, and for each lane (a thread) the number of its host and cluster."""
    ranks = rerun.tables["ranks"]
    rank = ranks["rank"].to_pylist()
    names: list[list[str]] = []
    of_lane: list[Array] = []
    for column in ("host", "cluster"):
        place_of_rank = dict(zip(rank, ranks[column].to_pylist(), strict=True))
        places = sorted(set(place_of_rank.values()))
        number = {name: position for position, name in enumerate(places)}
        names.append(places)
        lane_places = [place_of_rank.get(lane_rank) for lane_rank in rerun.lanes.rank.tolist()]
        of_lane.append(np.asarray([0 if place is None else number[place] for place in lane_places]))
    return names, of_lane


def _waits(rerun: Rerun, number: int, of_lane: list[Array]) -> _Waits:
    arrays, table = rerun.arrays, _TABLES[number]
    link = arrays[f"{table}.link"].astype(np.int64)
    took = arrays[f"{table}.recv_end_ns"] - arrays[f"{table}.send_begin_ns"]
    row = np.flatnonzero((link >= _LAN) & (arrays[f"{table}.binding"] == _RECV) & (took > 0))
    src, dst = arrays[f"{table}.src_lane"][row], arrays[f"{table}.dst_lane"][row]
    ends = np.zeros(len(row), np.int64)
    for is_wan, place in enumerate(of_lane):
        low, high = np.minimum(place[src], place[dst]), np.maximum(place[src], place[dst])
        ends = np.where((link[row] == _WAN) == is_wan, low * (int(place.max(initial=0)) + 1) + high, ends)
    size = np.log2(np.maximum(arrays[f"{table}.bytes"][row], 1)).astype(np.int64)
    return _Waits(np.full(len(row), number), row, took[row], link[row] * _SIZES + size, ends)


def _slow(waits: _Waits) -> dict[int, tuple[int, float]]:
    """For each kind of link and size, the link that is clearly slower than all its peers, and how many times slower it
    is. Kinds without such a link are left out. One peer is enough for a link that is slow with more peers in messages
    of another size."""
    order = np.lexsort((waits.took, waits.ends, waits.kind))
    kind, ends, took = waits.kind[order], waits.ends[order], waits.took[order]
    first = np.flatnonzero((np.diff(kind, prepend=-1) != 0) | (np.diff(ends, prepend=-1) != 0))
    count = np.diff(first, append=len(kind))
    sample_mask = count >= _LEAST_MESSAGES
    median = took[first + (count - 1) // 2][sample_mask]
    kind, ends = kind[first][sample_mask], ends[first][sample_mask]
    slowest: dict[int, tuple[int, float]] = {}
    certain: set[tuple[int, int]] = set()
    for kind_number in np.unique(kind).tolist():
        links = np.flatnonzero(kind == kind_number)
        links = links[np.argsort(median[links])]
        if len(links) > 1 and median[links[-1]] >= _SLOWER * median[links[-2]]:
            link = int(ends[links[-1]])
            slowest[kind_number] = link, float(median[links[-1]] / np.median(median[links[:-1]]))
            if len(links) > _LEAST_PEERS:
                certain.add((kind_number // _SIZES, link))
    return {kind: (link, times) for kind, (link, times) in slowest.items() if (kind // _SIZES, link) in certain}


@dataclass(frozen=True)
class Placement:
    """Another rank order, and its saving by the replay of `analyze reorder`."""

    cost: Cost
    hosts: tuple[str, ...]


def placement_of(read: Callable[[str], pa.Table], rerun: Rerun, run_ns: int) -> Placement | None:
    """A rank order that is better by the replay; None if there is none, or if the search would take long."""
    hosts = sorted(set(rerun.tables["ranks"]["host"].to_pylist()))
    far = sum(int((rerun.arrays[f"{table}.link"] >= _LAN).sum()) for table in _TABLES)
    messages = sum(rerun.tables[table].num_rows for table in _TABLES)
    if len(hosts) < 2 or not far or messages > _MOST_MESSAGES or not read("run").num_rows:
        return None
    from hopscope.advice.rank_order import suggest_order  # imports scipy

    try:
        order = suggest_order(read).suggested
    except InputError:
        return None  # the launcher does not let users choose a rank order
    if order is None or order.predicted_gain is None:
        return None
    gains = (order.predicted_gain, order.gain_low or 0.0, order.gain_high or 0.0)
    ns, low, high = (max(0, round(gain * run_ns)) for gain in gains)
    return Placement(Cost(ns, low, high), tuple(hosts))
