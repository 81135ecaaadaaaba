"""The chains of hops that ranks waited for in exchanges between peers: the table `chains`.

For each cluster of a collective in which messages go between peers, or by an unrecognised algorithm, one chain: back
from the rank that leaves last, over the hop that it waited for last, to the sender, over what that one waited for, and
so on. Where only some ranks exchange for the others, as leaders of groups do, the chain is that of the rank from which
the last one has its result. A chain ends at the latest enter on it: before that, the others waited for a late rank.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from hopscope.dataset.convert.columns import NONE, Bools, Ints, coded, column_of, numbers, with_nulls, words_of
from hopscope.dataset.convert.contract import arrow_schema

_EARLIEST: Final = np.iinfo(np.int64).min


@dataclass(frozen=True)
class Exchanges:
    """Collectives of a part, with their calls and hops."""

    collectives: pa.Table
    calls: pa.Table
    hops: pa.Table
    row_of_hop: Ints
    """Row of the collective of each hop."""
    between_peers: Bools
    """Of each hop: it goes between peers, or its algorithm is unrecognised."""
    is_down: Bools
    """Of each hop: it brings a result from one rank."""
    is_chosen: Bools
    """Of each collective: it has hops between peers, and none of them hides what the ranks waited for."""
    cluster_of: Sequence[str]
    """Of each trace-wide rank."""


def chains(given: Exchanges) -> pa.Table:
    """Find the chain of each cluster in each of these collectives."""
    return _Chains(given).table()


class _Chains:
    def __init__(self, given: Exchanges) -> None:
        hops, calls = given.hops, given.calls
        self._src, self._dst = numbers(hops["src"]), numbers(hops["dst"])
        self._sent, self._posted, self._received = (
            numbers(hops[name]) for name in ("send_begin_ns", "recv_post_ns", "recv_end_ns")
        )
        self._bytes, self._row = numbers(hops["bytes"]), given.row_of_hop
        hop_id = numbers(hops["hop_id"])
        bindings, binding = coded(hops["binding"])
        self._waited, self._blocked = (
            np.isin(binding, [code for code, word in enumerate(bindings) if word == wanted])
            for wanted in ("recv", "send")
        )
        links, link = coded(hops["link"])
        self._is_wan = np.isin(link, [code for code, word in enumerate(links) if word == "wan"])
        self._before = _places(hops["pred_hop_id"], hop_id)
        self._in_exchange = given.between_peers & given.is_chosen[self._row] & (self._src != self._dst)

        collective_id = numbers(given.collectives["collective_id"])
        self._collective_id, self._cluster_of = collective_id, given.cluster_of
        left = numbers(calls["complete_ns"], NONE)
        left = np.where(left >= 0, left, numbers(calls["leave_ns"], NONE))
        row = np.searchsorted(collective_id, numbers(calls["collective_id"]))
        kept = np.flatnonzero(given.is_chosen[row] & (left >= 0))
        rank, entered = numbers(calls["rank"])[kept], numbers(calls["enter_ns"])[kept]
        row, left, before = row[kept], left[kept], _places(calls["pred_hop_id"], hop_id)[kept]
        self._ranks = 1 + int(max(column.max(initial=0) for column in (rank, self._src, self._dst)))
        self._base = numbers(given.collectives["first_enter_ns"])

        order = np.argsort(row * self._ranks + rank, kind="stable")
        self._call_key, self._entered = (row * self._ranks + rank)[order], entered[order]
        names = {name: number for number, name in enumerate(dict.fromkeys(given.cluster_of))}
        self._cluster_names = list(names)
        cluster = np.array([names[name] for name in given.cluster_of], np.int64)[rank]
        last = np.lexsort((rank, -left, cluster, row))
        is_first = np.ones(len(last), bool)
        is_first[1:] = (np.diff(row[last]) != 0) | (np.diff(cluster[last]) != 0)
        chosen = last[is_first]
        self._of_row, self._rank, self._left = row[chosen], rank[chosen], left[chosen]
        self._cluster, self._last_wait = cluster[chosen], before[chosen]
        self._has_trees = np.zeros(len(collective_id), bool)
        self._has_trees[self._row[~given.between_peers]] = True
        self._via = self._exchanging(given.is_down)
        self._sort_arrivals()

    def _exchanging(self, is_down: Bools) -> Ints:
        """The rank whose exchange each one's result comes from: itself, or who is above it."""
        own = np.unique((self._row * self._ranks + self._dst)[self._in_exchange])
        down = np.flatnonzero(is_down)
        key, first = np.unique(self._row[down] * self._ranks + self._dst[down], return_index=True)
        parent = self._src[down][first]
        via = self._rank.copy()
        for _ in range(self._ranks):
            here = self._of_row * self._ranks + via
            place = np.searchsorted(key, here)
            there = (place < len(key)) & ~np.isin(here, own)
            there[there] = key[place[there]] == here[there]
            if not there.any():
                break
            via[there] = parent[place[there]]
        return via

    def _sort_arrivals(self) -> None:
        """The hops that a receiver waited for, by receiver and time."""
        arrivals = np.flatnonzero(self._in_exchange & self._waited)
        key = self._row[arrivals] * self._ranks + self._dst[arrivals]
        order = np.lexsort((self._received[arrivals], key))
        self._arrivals = arrivals[order]
        self._keys, group = np.unique(key[order], return_inverse=True)
        since = self._received[self._arrivals] - self._base[self._row[self._arrivals]]
        self._span = 2 + int(since.max(initial=0))
        self._place = group * self._span + since

    def _last_arrival(self, row: Ints, rank: Ints, by: Ints) -> Ints:
        """The last hop between peers that each rank waited for and had by a time; -1 if there is none."""
        if not len(self._keys):
            return np.full(len(row), NONE, np.int64)
        key = row * self._ranks + rank
        group = np.minimum(np.searchsorted(self._keys, key), len(self._keys) - 1)
        since = np.clip(by - self._base[row], -1, self._span - 1)
        at = np.searchsorted(self._place, group * self._span + since, side="right") - 1
        found = (self._keys[group] == key) & (at >= 0)
        found[found] = self._place[at[found]] >= group[found] * self._span
        return np.where(found, self._arrivals[np.maximum(at, 0)], NONE)

    def _enter(self, row: Ints, rank: Ints) -> Ints:
        key = row * self._ranks + rank
        place = np.minimum(np.searchsorted(self._call_key, key), len(self._call_key) - 1)
        return np.where(self._call_key[place] == key, self._entered[place], _EARLIEST)

    def table(self) -> pa.Table:
        count = len(self._of_row)
        mixed = self._has_trees[self._of_row]
        latest = self._enter(self._of_row, self._via)
        began = np.full(count, _EARLIEST, np.int64)  # of a chain that goes on in a tree: where it leaves the exchange
        ended = np.where(mixed, NONE, self._left)
        steps: list[tuple[Ints, Ints, Ints, Ints]] = []

        # A chain in trees ends with the exchange, any other with the call.
        chain = np.arange(count)
        hop = np.where(mixed, self._last_arrival(self._of_row, self._via, self._left), self._last_wait)
        until = self._left.copy()
        for _ in range(2 * len(self._row) + 1):
            there = hop >= 0
            chain, hop, until = chain[there], hop[there], until[there]
            there = self._in_exchange[hop] & (self._waited | self._blocked)[hop] & (self._sent[hop] < until)
            out = chain[~there]
            began[out] = np.maximum(began[out], np.where(until[~there] < self._left[out], until[~there], _EARLIEST))
            chain, hop, until = chain[there], hop[there], until[there]
            if not len(chain):
                break
            blocked = self._blocked[hop]
            # A sender that was blocked went on when its receiver was there: the chain goes on with that one.
            begin = np.where(blocked, self._posted[hop], self._sent[hop])
            end = np.minimum(self._received[hop], until)
            steps.append((chain, hop, begin, end))
            is_first = mixed[chain] & (ended[chain] < 0)
            ended[chain[is_first]] = end[is_first]
            other = np.where(blocked, self._dst[hop], self._src[hop])
            latest[chain] = np.maximum(latest[chain], self._enter(self._row[hop], other))
            hop = np.where(blocked, self._last_arrival(self._row[hop], other, begin), self._before[hop])
            until = begin
        begin = np.maximum(latest, np.where(mixed, began, _EARLIEST))
        return self._rows(begin, ended, steps)

    def _rows(self, begin: Ints, ended: Ints, steps: list[tuple[Ints, Ints, Ints, Ints]]) -> pa.Table:
        count = len(begin)
        chain, hop, first, last = (
            np.concatenate(column) if steps else np.empty(0, np.int64)
            for column in (zip(*steps, strict=False) if steps else [()] * 4)
        )
        inside = np.maximum(0, last - np.maximum(first, begin[chain]))
        counted, wan = inside > 0, (inside > 0) & self._is_wan[hop]

        def summed(values: npt.NDArray[np.generic], rows: Bools) -> Ints:
            return np.bincount(chain[rows], values[rows].astype(np.float64), minlength=count).astype(np.int64)

        ones = np.ones(len(chain), np.int64)
        schema = arrow_schema("chains")
        columns: dict[str, pa.Array | Ints] = {
            "collective_id": self._collective_id[self._of_row],
            "cluster": words_of(self._cluster_names, self._cluster),
            "rank": self._rank,
            "via": self._via,
            "begin_ns": with_nulls(np.where(ended < 0, NONE, np.minimum(begin, ended)), pa.int64()),
            "end_ns": with_nulls(ended, pa.int64()),
            "wan_ns": summed(inside, wan),
            "hops": summed(ones, counted),
            "crossings": summed(ones, wan),
            "wan_bytes": summed(self._bytes[hop], wan),
        }
        made = {
            name: column if isinstance(column, pa.Array) else column_of(column, schema.field(name).type)
            for name, column in columns.items()
        }
        return pa.Table.from_arrays([*made.values()], names=[*made])


def _places(column: pa.ChunkedArray, hop_id: Ints) -> Ints:
    """The rows of hops with these numbers, -1 for none."""
    ids, order = numbers(column, NONE), np.argsort(hop_id, kind="stable")
    place = np.minimum(np.searchsorted(hop_id[order], ids), len(hop_id) - 1)
    return np.where(hop_id[order][place] == ids, order[place], NONE)
