"""Makes the table `chains`: the chains of hops that ranks waited for in exchanges between peers.

A collective has exchanges if messages go between peers, or if its algorithm is unrecognised. Each of its clusters has
one chain. It begins at the rank that leaves last, goes back over the hop that this rank waited for last to the hop's
sender, over the hop that the sender waited for, and so on. If only some ranks exchange messages and pass the result on
to the others, as leaders of groups do, the chain begins at the exchanging rank whose result the last rank got. A chain
ends at the latest enter of its ranks: before that, the others waited for a late rank.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from hopscope.dataset.convert.columns import NULL, Bools, Ints, coded, column_of, numbers, with_nulls, words_of
from hopscope.dataset.convert.contract import arrow_schema

_EARLIEST: Final = np.iinfo(np.int64).min


@dataclass(frozen=True)
class Exchanges:
    """A batch of collectives, with their calls and hops."""

    collectives: pa.Table
    calls: pa.Table
    hops: pa.Table
    row_of_hop: Ints
    """For each hop, the row of its collective."""
    between_peers: Bools
    """For each hop: true if it goes between peers, or if its algorithm is unrecognised."""
    is_down: Bools
    """For each hop: true if it carries a result down a tree."""
    has_chain: Bools
    """For each collective: true if it has hops between peers, and no wait in it is hidden."""
    cluster_of: Sequence[str]
    """The cluster of each trace-wide rank."""


def chains(exchanges: Exchanges) -> pa.Table:
    """Find the chain of each cluster in each of these collectives."""
    return _Chains(exchanges).table()


class _Chains:
    def __init__(self, exchanges: Exchanges) -> None:
        hops, calls = exchanges.hops, exchanges.calls
        self._src, self._dst = numbers(hops["src"]), numbers(hops["dst"])
        self._sent, self._posted, self._received = (
            numbers(hops[name]) for name in ("send_begin_ns", "recv_post_ns", "recv_end_ns")
        )
        self._bytes, self._row = numbers(hops["bytes"]), exchanges.row_of_hop
        hop_id = numbers(hops["hop_id"])
        bindings, binding = coded(hops["binding"])
        self._waited, self._blocked = (
            np.isin(binding, [code for code, word in enumerate(bindings) if word == binding_word])
            for binding_word in ("recv", "send")
        )
        links, link = coded(hops["link"])
        self._is_wan = np.isin(link, [code for code, word in enumerate(links) if word == "wan"])
        self._predecessor = _places(hops["pred_hop_id"], hop_id)
        self._in_exchange = exchanges.between_peers & exchanges.has_chain[self._row] & (self._src != self._dst)

        collective_id = numbers(exchanges.collectives["collective_id"])
        self._collective_id, self._cluster_of = collective_id, exchanges.cluster_of
        left = numbers(calls["complete_ns"], NULL)
        left = np.where(left >= 0, left, numbers(calls["leave_ns"], NULL))
        row = np.searchsorted(collective_id, numbers(calls["collective_id"]))
        call_rows = np.flatnonzero(exchanges.has_chain[row] & (left >= 0))
        rank, entered = numbers(calls["rank"])[call_rows], numbers(calls["enter_ns"])[call_rows]
        row, left, predecessor = row[call_rows], left[call_rows], _places(calls["pred_hop_id"], hop_id)[call_rows]
        self._ranks = 1 + int(max(column.max(initial=0) for column in (rank, self._src, self._dst)))
        self._base = numbers(exchanges.collectives["first_enter_ns"])

        order = np.argsort(row * self._ranks + rank, kind="stable")
        self._call_key, self._entered = (row * self._ranks + rank)[order], entered[order]
        names = {name: number for number, name in enumerate(dict.fromkeys(exchanges.cluster_of))}
        self._cluster_names = list(names)
        cluster = np.array([names[name] for name in exchanges.cluster_of], np.int64)[rank]
        last = np.lexsort((rank, -left, cluster, row))
        is_first = np.ones(len(last), bool)
        is_first[1:] = (np.diff(row[last]) != 0) | (np.diff(cluster[last]) != 0)
        last_rows = last[is_first]
        self._of_row, self._rank, self._left = row[last_rows], rank[last_rows], left[last_rows]
        self._cluster, self._last_wait = cluster[last_rows], predecessor[last_rows]
        self._has_trees = np.zeros(len(collective_id), bool)
        self._has_trees[self._row[~exchanges.between_peers]] = True
        self._via_rank = self._exchanging(exchanges.is_down)
        self._sort_arrivals()

    def _exchanging(self, is_down: Bools) -> Ints:
        """For each chain, the rank whose exchange with peers gave the result of the chain's last rank. This is the last
        rank itself if it exchanges messages with peers. Otherwise it is the nearest exchanging rank among the ranks
        that passed the result on to it."""
        exchange_keys = np.unique((self._row * self._ranks + self._dst)[self._in_exchange])
        down = np.flatnonzero(is_down)
        key, first = np.unique(self._row[down] * self._ranks + self._dst[down], return_index=True)
        parent = self._src[down][first]
        via_rank = self._rank.copy()
        for _ in range(self._ranks):
            current_key = self._of_row * self._ranks + via_rank
            place = np.searchsorted(key, current_key)
            has_parent = (place < len(key)) & ~np.isin(current_key, exchange_keys)
            has_parent[has_parent] = key[place[has_parent]] == current_key[has_parent]
            if not has_parent.any():
                break
            via_rank[has_parent] = parent[place[has_parent]]
        return via_rank

    def _sort_arrivals(self) -> None:
        """Sorts the hops for which a receiver waited by collective, receiver and time of receipt."""
        arrivals = np.flatnonzero(self._in_exchange & self._waited)
        key = self._row[arrivals] * self._ranks + self._dst[arrivals]
        order = np.lexsort((self._received[arrivals], key))
        self._arrivals = arrivals[order]
        self._keys, group = np.unique(key[order], return_inverse=True)
        elapsed = self._received[self._arrivals] - self._base[self._row[self._arrivals]]
        self._span = 2 + int(elapsed.max(initial=0))
        self._place = group * self._span + elapsed

    def _last_arrival(self, row: Ints, rank: Ints, deadline: Ints) -> Ints:
        """The last hop between peers that each rank waited for and received by its deadline; -1 if there is none."""
        if not len(self._keys):
            return np.full(len(row), NULL, np.int64)
        key = row * self._ranks + rank
        group = np.minimum(np.searchsorted(self._keys, key), len(self._keys) - 1)
        elapsed = np.clip(deadline - self._base[row], -1, self._span - 1)
        position = np.searchsorted(self._place, group * self._span + elapsed, side="right") - 1
        mask = (self._keys[group] == key) & (position >= 0)
        mask[mask] = self._place[position[mask]] >= group[mask] * self._span
        return np.where(mask, self._arrivals[np.maximum(position, 0)], NULL)

    def _enter(self, row: Ints, rank: Ints) -> Ints:
        key = row * self._ranks + rank
        place = np.minimum(np.searchsorted(self._call_key, key), len(self._call_key) - 1)
        return np.where(self._call_key[place] == key, self._entered[place], _EARLIEST)

    def table(self) -> pa.Table:
        count = len(self._of_row)
        mixed = self._has_trees[self._of_row]
        latest = self._enter(self._of_row, self._via_rank)
        # The time at which a chain that continues in a tree leaves the exchange.
        exchange_begin = np.full(count, _EARLIEST, np.int64)
        exchange_end = np.where(mixed, NULL, self._left)
        steps: list[tuple[Ints, Ints, Ints, Ints]] = []

        # If the collective also has trees, the chain ends with the exchange; else it ends with the call.
        chain = np.arange(count)
        hop = np.where(mixed, self._last_arrival(self._of_row, self._via_rank, self._left), self._last_wait)
        limit = self._left.copy()
        for _ in range(2 * len(self._row) + 1):
            mask = hop >= 0
            chain, hop, limit = chain[mask], hop[mask], limit[mask]
            mask = self._in_exchange[hop] & (self._waited | self._blocked)[hop] & (self._sent[hop] < limit)
            ended_chains = chain[~mask]
            exchange_begin[ended_chains] = np.maximum(
                exchange_begin[ended_chains], np.where(limit[~mask] < self._left[ended_chains], limit[~mask], _EARLIEST)
            )
            chain, hop, limit = chain[mask], hop[mask], limit[mask]
            if not len(chain):
                break
            blocked = self._blocked[hop]
            # A blocked sender could continue when its receiver was ready, so the chain continues with the receiver.
            begin = np.where(blocked, self._posted[hop], self._sent[hop])
            end = np.minimum(self._received[hop], limit)
            steps.append((chain, hop, begin, end))
            is_first = mixed[chain] & (exchange_end[chain] < 0)
            exchange_end[chain[is_first]] = end[is_first]
            partner = np.where(blocked, self._dst[hop], self._src[hop])
            latest[chain] = np.maximum(latest[chain], self._enter(self._row[hop], partner))
            hop = np.where(blocked, self._last_arrival(self._row[hop], partner, begin), self._predecessor[hop])
            limit = begin
        begin = np.maximum(latest, np.where(mixed, exchange_begin, _EARLIEST))
        return self._rows(begin, exchange_end, steps)

    def _rows(self, begin: Ints, exchange_end: Ints, steps: list[tuple[Ints, Ints, Ints, Ints]]) -> pa.Table:
        count = len(begin)
        chain, hop, first, last = (
            np.concatenate(column) if steps else np.empty(0, np.int64)
            for column in (zip(*steps, strict=False) if steps else [()] * 4)
        )
        overlap = np.maximum(0, last - np.maximum(first, begin[chain]))
        has_overlap, wan = overlap > 0, (overlap > 0) & self._is_wan[hop]

        def summed(values: npt.NDArray[np.generic], rows: Bools) -> Ints:
            return np.bincount(chain[rows], values[rows].astype(np.float64), minlength=count).astype(np.int64)

        units = np.ones(len(chain), np.int64)
        schema = arrow_schema("chains")
        columns: dict[str, pa.Array | Ints] = {
            "collective_id": self._collective_id[self._of_row],
            "cluster": words_of(self._cluster_names, self._cluster),
            "rank": self._rank,
            "via": self._via_rank,
            "begin_ns": with_nulls(np.where(exchange_end < 0, NULL, np.minimum(begin, exchange_end)), pa.int64()),
            "end_ns": with_nulls(exchange_end, pa.int64()),
            "wan_ns": summed(overlap, wan),
            "hops": summed(units, has_overlap),
            "crossings": summed(units, wan),
            "wan_bytes": summed(self._bytes[hop], wan),
        }
        arrays = {
            name: column if isinstance(column, pa.Array) else column_of(column, schema.field(name).type)
            for name, column in columns.items()
        }
        return pa.Table.from_arrays([*arrays.values()], names=[*arrays])


def _places(column: pa.ChunkedArray, hop_id: Ints) -> Ints:
    """The row of each hop that the column names; -1 for null."""
    ids, order = numbers(column, NULL), np.argsort(hop_id, kind="stable")
    place = np.minimum(np.searchsorted(hop_id[order], ids), len(hop_id) - 1)
    return np.where(hop_id[order][place] == ids, order[place], NULL)
