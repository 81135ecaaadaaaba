"""A batch of a trace's collectives with their hops. The hops show which collectives are of one kind, and which
algorithm a kind used."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from hopscope.algorithms import numbered
from hopscope.algorithms.kinds import Kind
from hopscope.algorithms.messages import DOWN, EXCHANGE, UP
from hopscope.algorithms.observed import Edge, Observed, RecordedMessage
from hopscope.dataset.convert.columns import NULL, Bools, Ints, coded, numbers, with_nulls, words_of
from hopscope.dataset.convert.trees import Places

Hashes = npt.NDArray[np.uint64]

ROLES: Final = (UP, DOWN, EXCHANGE)


@dataclass(frozen=True)
class Communicator:
    """A communicator's members, as trace-wide ranks, and their hosts and clusters."""

    members: Sequence[int]
    second_group: int | None
    """The position in `members` at which the second group of an intercommunicator begins; None for other
    communicators."""
    hosts: Sequence[object]
    clusters: Sequence[object]


@dataclass(frozen=True)
class Template:
    """The role and round of each message in collectives of one kind. Messages are ordered by sender, receiver and time
    of sending."""

    role: Ints
    round: Ints

    @cached_property
    def is_exchange(self) -> bool:
        """True if messages go between peers, or if the algorithm is unrecognised. A rank's message to itself has no
        round and does not count."""
        return bool(((self.round >= 0) & ((self.role < 0) | (self.role == ROLES.index(EXCHANGE)))).any())

    @classmethod
    def from_collective(cls, part: Part, row: int, kind: Kind, place_of: dict[int, int]) -> Template:
        """The template of a kind, from the collective in this row. place_of: the rank in the communicator of each
        trace-wide rank."""
        nth: dict[Edge, int] = defaultdict(int)
        roles: list[int] = []
        rounds: list[int] = []
        for hop in part.sorted_hops(row):
            edge = place_of.get(int(part.src[hop]), -1), place_of.get(int(part.dst[hop]), -1)
            place, nth[edge] = nth[edge], nth[edge] + 1
            its_roles, its_rounds = kind.roles.get(edge, ()), kind.rounds.get(edge, ())
            roles.append(ROLES.index(its_roles[place]) if place < len(its_roles) else NULL)
            rounds.append(its_rounds[place] if place < len(its_rounds) else NULL)
        return cls(np.array(roles, np.int64), np.array(rounds, np.int64))


class Part:
    """A batch of a trace's collectives, with their hops sorted by collective, edge and order of sending."""

    def __init__(
        self,
        collectives: pa.Table,
        calls: pa.Table | None,
        hops: pa.Table,
        numbers_of: Callable[[pa.ChunkedArray], Ints],
        is_varying: Callable[[int], bool],
    ) -> None:
        self._hops = hops
        self.collective_id = numbers(collectives["collective_id"])
        self.comm, self.bytes = numbers(collectives["comm"]), numbers(collectives["bytes"])
        self.root = numbers(collectives["root"], NULL)
        self.op = numbers_of(collectives["op"])
        count = len(self.collective_id)
        names = ("src", "dst", "bytes", "send_begin_ns", "recv_post_ns", "recv_end_ns")
        self.src, self.dst, self._length, self._sent, self._posted, self._received = (
            numbers(hops[name]) for name in names
        )
        links, link = coded(hops["link"])
        self._is_wan = np.isin(link, [code for code, word in enumerate(links) if word == "wan"])
        self.role = _roles(hops["role"])
        self.of_hop = np.searchsorted(self.collective_id, numbers(hops["collective_id"]))
        ranks = 1 + max(self.src.max(initial=0), self.dst.max(initial=0))
        # A collective's hops are together, in the order of sending.
        self._order = np.argsort((self.of_hop * ranks + self.src) * ranks + self.dst, kind="stable")
        self.counts = np.bincount(self.of_hop, minlength=count)
        self._first = np.cumsum(self.counts) - self.counts
        whole = self._length == self.bytes[self.of_hop]
        has_hops = self.counts > 0
        self.is_whole = np.zeros(count, bool)
        self.is_whole[has_hops] = np.logical_and.reduceat(whole, self._first[has_hops]) & (self.bytes[has_hops] > 0)
        self.source = np.full(count, NULL, np.int64)
        self.source[has_hops] = numbers_of(hops["source"])[self._first[has_hops]]
        self.captured, self.ran_name = self._by_calls(calls, numbers_of)
        self.rows = np.flatnonzero(has_hops & (numbers(collectives["complete"]) > 0))
        varying = np.isin(self.op, [op for op in np.unique(self.op) if is_varying(int(op))])
        self.hashes = self._hashes(whole, varying)

    def _by_calls(self, calls: pa.Table | None, numbers_of: Callable[[pa.ChunkedArray], Ints]) -> tuple[Ints, Ints]:
        """For each collective: the algorithm that the library names, if all calls that name one agree, and the name of
        the tree or algorithm in the trace."""
        captured, ran_name = (np.full(len(self.counts), NULL, np.int64) for _ in range(2))
        if calls is not None and calls.num_rows:
            row = np.searchsorted(self.collective_id, numbers(calls["collective_id"]))
            order = np.argsort(row, kind="stable")
            rows, first = np.unique(row[order], return_index=True)
            names, trees = numbers_of(calls["algorithm"])[order], numbers_of(calls["tree"])[order]
            highest = np.maximum.reduceat(names, first)
            lowest = np.minimum.reduceat(np.where(names < 0, np.iinfo(np.int64).max, names), first)
            captured[rows] = np.where(highest == lowest, highest, NULL)
            ran_name[rows] = np.maximum.reduceat(trees, first)
        return captured, ran_name

    def _hashes(self, whole: Bools, varying: Bools) -> Hashes:
        """A hash for each collective in `rows`, equal for collectives of one kind. The hash sums over the hops, so that
        their order does not matter."""
        length = np.where(varying[self.of_hop], 0, np.where(whole & self.is_whole[self.of_hop], NULL, self._length))
        edges = (self.src.astype(np.uint64) << np.uint64(32)) + self.dst.astype(np.uint64)
        # An up tree and a down tree from different roots may have the same edges. Known roles tell such trees apart.
        messages = _mixed(_mixed(_mixed(edges), length), self.role)
        sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(messages, dtype=np.uint64)])
        first = self._first[self.rows]
        hashes = sums[first + self.counts[self.rows]] - sums[first]
        payload = np.where(varying | self.is_whole, NULL, self.bytes)
        for column in (self.counts, self.op, self.comm, self.root, payload, self.source, self.captured, self.ran_name):
            hashes = _mixed(hashes, column[self.rows])
        return hashes

    def _span(self, row: int) -> slice:
        return slice(int(self._first[row]), int(self._first[row] + self.counts[row]))

    def sorted_hops(self, row: int) -> Ints:
        """The hops of a collective, in order of sender, receiver and time of sending."""
        return self._order[self._span(row)]

    def lengths(self, row: int) -> Ints:
        """The lengths of a collective's messages in bytes."""
        return self._length[self._span(row)]

    def wan(self, row: int) -> Bools:
        """A mask of a collective's messages: true for those between clusters."""
        return self._is_wan[self._span(row)]

    def observed(self, row: int, operation: str, place_of: dict[int, int], comm: Communicator) -> Observed:
        """A collective in the form that the recogniser takes."""
        hops = self._span(row)
        columns = (self.src, self.dst, self._length, self._sent, self._received, self._is_wan)
        messages = [
            RecordedMessage(place_of[src], place_of[dst], *rest)
            for src, dst, *rest in zip(*(column[hops].tolist() for column in columns), strict=True)
            if src in place_of and dst in place_of
        ]
        root = None if self.root[row] < 0 else int(self.root[row])
        places = numbered(comm.hosts), numbered(comm.clusters)
        return Observed(operation, len(comm.members), root, int(self.bytes[row]), messages, *places)

    def tagged_roles(self, row: int, place_of: dict[int, int]) -> dict[Edge, list[str]] | None:
        """The roles that a schedule gave to the hops of a collective, by sender and receiver; None if a hop has
        none."""
        roles: dict[Edge, list[str]] = defaultdict(list)
        for hop in self.sorted_hops(row):
            if self.role[hop] < 0:
                return None
            edge = place_of.get(int(self.src[hop]), -1), place_of.get(int(self.dst[hop]), -1)
            if edge[0] != edge[1]:
                roles[edge].append(ROLES[self.role[hop]])
        return dict(roles)

    def in_child_order(self, row: int, role: str, parents: dict[int, int], place_of: dict[int, int]) -> Places:
        """The parent of each rank of a tree, and the rank's place among its siblings. Siblings are in the order in
        which the parent posted their receives, or sent to them."""
        times: dict[int, tuple[int, int]] = {}
        begin = self._posted if role == UP else self._sent
        for hop in range(self._span(row).start, self._span(row).stop):
            edge = place_of.get(int(self.src[hop]), -1), place_of.get(int(self.dst[hop]), -1)
            child, parent = edge if role == UP else edge[::-1]
            if parents.get(child) == parent:
                times[child] = min(times.get(child, (int(begin[hop]), hop)), (int(begin[hop]), hop))
        siblings: dict[int, int] = defaultdict(int)
        places: Places = {}
        for child in sorted(times, key=times.__getitem__):
            places[child] = parents[child], siblings[parents[child]]
            siblings[parents[child]] += 1
        return places

    def with_roles(self, of_row: Ints, templates: Sequence[Template]) -> pa.Table:
        """The hops with roles and rounds. The hops of Hopscope's engine keep the roles that its schedule gave them."""
        kinds = np.unique(of_row[of_row >= 0])
        role, round_ = self.role, np.full(len(self.src), NULL, np.int64)
        if len(kinds):
            of_kinds = [templates[kind] for kind in kinds]
            begins = np.cumsum([0, *(len(template.role) for template in of_kinds)])[:-1]
            row = self.of_hop[self._order]
            offset = np.arange(len(row)) - self._first[row]
            has_kind = of_row[row] >= 0
            position = begins[np.searchsorted(kinds, of_row[row][has_kind])] + offset[has_kind]
            hops = self._order[has_kind]
            round_[hops] = np.concatenate([template.round for template in of_kinds])[position]
            template_role = np.concatenate([template.role for template in of_kinds])[position]
            role[hops] = np.where(role[hops] < 0, template_role, role[hops])
        return with_column(
            with_column(self._hops, "role", words_of([*ROLES], role)), "round", with_nulls(round_, pa.int32())
        )


def with_column(table: pa.Table, name: str, column: pa.Array) -> pa.Table:
    """The table with this column, which replaces a column of the same name if there is one."""
    place = table.schema.get_field_index(name)
    return table.append_column(name, column) if place < 0 else table.set_column(place, name, column)


def _roles(column: pa.ChunkedArray) -> Ints:
    """The index of each role in ROLES; -1 for hops without a role."""
    words, codes = coded(column)
    return np.array([*map(ROLES.index, words), NULL], np.int64)[codes]


def _mixed(values: Hashes, salt: Ints | None = None) -> Hashes:
    """Hashes numbers, together with `salt` if given, to 64 bits (splitmix64: G. Steele et al., "Fast Splittable
    Pseudorandom Number Generators", OOPSLA 2014)."""
    mixed = values + np.uint64(0x9E3779B97F4A7C15)
    if salt is not None:
        mixed = mixed ^ (salt.astype(np.uint64) * np.uint64(0xD6E8FEB86659FD93))
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))
