"""Gives every hop its role and round, and every collective its kind, while a trace is converted.

Collectives are of one kind if operation, communicator, root and payload agree, all their messages with the roles that
a schedule says, what ran by name, and who ran it. The payload does not count where every message carries the whole of
it, nor do lengths in operations whose ranks have parts of different lengths. A kind is recognised once, from the piece
of the trace in which it first comes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from hopscope.algorithms import blocking_form, numbered
from hopscope.algorithms.candidates import HIDES_BYTES
from hopscope.algorithms.kinds import Kind, kind_of, parents_of
from hopscope.algorithms.messages import DOWN, EXCHANGE, UP
from hopscope.algorithms.observed import Edge, Observed, Seen
from hopscope.convert.chains import Exchanges, chains
from hopscope.convert.columns import NONE, Bools, Ints, coded, is_null, numbers, table_of, with_nulls, words_of
from hopscope.convert.trees import Places, Trees

Table = tuple[str, pa.Table]
Hashes = npt.NDArray[np.uint64]

_ROLES: Final = (UP, DOWN, EXCHANGE)
_OF_PART: Final = ("collectives", "calls", "steps", "hops")
_MOST_EXAMPLES: Final = 8
_MOST_EXAMINED: Final = 1 << 16
"""Of collectives with many messages fewer examples are looked at: about so many messages in all."""


@dataclass(frozen=True)
class Communicator:
    """The members, as trace-wide ranks, and where they ran."""

    members: Sequence[int]
    second_group: int | None
    """Of an intercommunicator: where it begins in members."""
    hosts: Sequence[object]
    clusters: Sequence[object]


class Kinds:
    """The kinds met so far. Give it pieces of tables in the order of their rows; each has whole collectives."""

    def __init__(self, communicator: Callable[[int], Communicator], clusters: Sequence[str]) -> None:
        """clusters: of all ranks."""
        self._communicator = communicator
        self._clusters = clusters
        self._numbers: dict[int, int] = {}
        """Of a kind's hash."""
        self._words: list[str] = []
        self._number_of: dict[str, int] = {}
        self._varying: dict[int, bool] = {}
        self._templates: list[_Template] = []
        self._rows: list[dict[str, Any]] = []
        self._trees = Trees()

    def completed(self, tables: Iterable[Table]) -> Iterator[Table]:
        """The same tables, collectives with their kinds and hops with their roles and rounds. Between the collectives
        of a part and those of the next one are the part's calls and hops."""
        part: list[Table] = []
        for name, rows in tables:
            if name not in _OF_PART or name == "collectives":
                yield from self._completed_part(part)
                part = []
            if name in _OF_PART:
                part.append((name, rows))
            else:
                yield name, rows
        yield from self._completed_part(part)

    def _completed_part(self, part: list[Table]) -> Iterator[Table]:
        if not part:
            return
        named = dict(part)
        completed = self.of_part(named["collectives"], named.get("calls"), named.get("hops"))
        for name, rows in part:
            yield name, completed.pop(name, rows)
        yield from completed.items()

    def of_part(self, collectives: pa.Table, calls: pa.Table | None, hops: pa.Table | None) -> dict[str, pa.Table]:
        """The collectives with their kinds, the hops with roles and rounds, and the chains in exchanges."""
        if hops is None or not hops.num_rows:
            return {
                "collectives": _with_column(
                    collectives, "kind", with_nulls(np.full(collectives.num_rows, NONE, np.int64), pa.int64())
                )
            }
        part = _Part(collectives, calls, hops, self._numbered_words, self._is_varying)
        of_row = self._kinds_of(part)
        completed = {
            "collectives": _with_column(collectives, "kind", with_nulls(of_row, pa.int64())),
            "hops": part.with_roles(of_row, self._templates),
        }
        in_exchange = np.array([*(template.is_exchange for template in self._templates), False])[of_row]
        # Where something hides what ranks waited for, no chain is known.
        is_chosen = in_exchange & is_null(collectives["native_reason"])
        if calls is not None and is_chosen.any():
            is_down = part.role == _ROLES.index(DOWN)
            between_peers = (part.role != _ROLES.index(UP)) & ~is_down
            given = Exchanges(
                collectives,
                calls,
                completed["hops"],
                part.of_hop,
                between_peers,
                is_down,
                is_chosen,
                self._clusters,
            )
            completed["chains"] = chains(given)
        return completed

    def tables(self) -> Iterator[Table]:
        """The tables `kinds` and `trees`, after the last piece."""
        yield "kinds", table_of("kinds", self._rows)
        yield "trees", self._trees.table()

    def _numbered_words(self, column: pa.ChunkedArray) -> Ints:
        """A number for each text that is the same in all pieces; -1 for null."""
        words, codes = coded(column)
        for word in words:
            if word not in self._number_of:
                self._number_of[word] = len(self._words)
                self._words.append(word)
        return np.array([*(self._number_of[word] for word in words), NONE], np.int64)[codes]

    def _word(self, number: int) -> str | None:
        return None if number < 0 else self._words[number]

    def _is_varying(self, op: int) -> bool:
        """Whether lengths of messages say nothing, by the number of an operation's name."""
        if op not in self._varying:
            self._varying[op] = blocking_form(str(self._word(op))) in HIDES_BYTES
        return self._varying[op]

    def _kinds_of(self, part: _Part) -> Ints:
        """The kind of each collective of a part, -1 of those without; new ones are recognised."""
        hashes, first, of_hash = np.unique(part.hashes, return_index=True, return_inverse=True)
        kinds = np.full(len(hashes), NONE, np.int64)
        for place in np.argsort(first):
            value = int(hashes[place])
            if value not in self._numbers:
                self._numbers[value] = len(self._rows)
                rows = part.rows[of_hash == place]
                fewer = max(1, min(_MOST_EXAMPLES, _MOST_EXAMINED // max(1, int(part.counts[rows[0]]))))
                self._add(part, rows[:: -(-len(rows) // fewer)])
            kinds[place] = self._numbers[value]
        of_row = np.full(len(part.counts), NONE, np.int64)
        of_row[part.rows] = kinds[of_hash]
        return of_row

    def _add(self, part: _Part, rows: Ints) -> None:
        """Recognise a kind from the collectives in these rows of the part."""
        row = int(rows[0])
        comm = self._communicator(int(part.comm[row]))
        place_of = {rank: place for place, rank in enumerate(comm.members)}
        op = str(self._word(int(part.op[row])))
        examples = [part.observed(int(one), blocking_form(op), place_of, comm) for one in rows]
        source = str(self._word(int(part.source[row])))
        captured, ran = self._word(int(part.captured[row])), self._word(int(part.ran[row]))
        tagged = part.tagged_roles(row, place_of) if source != "native" else None
        kind = kind_of(
            examples,
            captured=captured,
            by_schedule=tagged,
            is_between_groups=comm.second_group is not None,
            ran=ran if source != "native" else None,
        )
        number = len(self._rows)
        any_payload = bool(part.is_whole[row]) and not self._is_varying(int(part.op[row]))
        template = _Template.of(part, row, kind, place_of)
        self._templates.append(template)
        self._rows.append(
            {
                "kind": number,
                "collective_id": int(part.collective_id[row]),
                "op": op,
                "comm": int(part.comm[row]),
                "ranks": len(comm.members),
                "root": None if part.root[row] < 0 else int(part.root[row]),
                "bytes": None if any_payload else int(part.bytes[row]),
                "source": source,
                "ran": ran,
                "captured": captured,
                "algorithm": kind.algorithm,
                "same": kind.same,
                "differs": kind.differs,
                "segment_bytes": kind.segment_bytes,
                "depth": kind.depth,
                "rounds": kind.last_round,
                "crossings": kind.crossings,
                "messages": int(part.counts[row]),
                "message_bytes": None if any_payload else int(part.lengths(row).sum()),
                "wan_messages": int(part.wan(row).sum()),
                "exchanges": template.is_exchange,
                "tree": self._trees.add(
                    int(part.comm[row]),
                    self._trees_of(part, row, kind, place_of),
                    given=ran if source != "native" else None,
                    recognised=kind.algorithm,
                    op=op,
                ),
            }
        )

    def _trees_of(self, part: _Part, row: int, kind: Kind, place_of: dict[int, int]) -> dict[tuple[int, str], Places]:
        """The trees that the messages ran along, by root and role."""
        trees: dict[tuple[int, str], Places] = {}
        for role in (UP, DOWN):
            parents = parents_of(kind.roles, role, len(place_of))
            if parents:
                root = next(iter(set(parents.values()) - parents.keys()))
                trees[root, role] = part.in_child_order(row, role, parents, place_of) | {root: (None, 0)}
        return trees


@dataclass(frozen=True)
class _Template:
    """Role and round of each message of a kind, by sender and receiver and in the order of sending."""

    role: Ints
    round: Ints

    @cached_property
    def is_exchange(self) -> bool:
        """Whether messages go between peers, or by an unrecognised algorithm. Those to oneself have no round."""
        return bool(((self.round >= 0) & ((self.role < 0) | (self.role == _ROLES.index(EXCHANGE)))).any())

    @classmethod
    def of(cls, part: _Part, row: int, kind: Kind, place_of: dict[int, int]) -> _Template:
        nth: dict[Edge, int] = defaultdict(int)
        roles: list[int] = []
        rounds: list[int] = []
        for hop in part.sorted_hops(row):
            edge = place_of.get(int(part.src[hop]), -1), place_of.get(int(part.dst[hop]), -1)
            place, nth[edge] = nth[edge], nth[edge] + 1
            its_roles, its_rounds = kind.roles.get(edge, ()), kind.rounds.get(edge, ())
            roles.append(_ROLES.index(its_roles[place]) if place < len(its_roles) else NONE)
            rounds.append(its_rounds[place] if place < len(its_rounds) else NONE)
        return cls(np.array(roles, np.int64), np.array(rounds, np.int64))


class _Part:
    """The collectives of a part of a piece, with their hops sorted by collective, edge and order of sending."""

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
        self.root = numbers(collectives["root"], NONE)
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
        self.source = np.full(count, NONE, np.int64)
        self.source[has_hops] = numbers_of(hops["source"])[self._first[has_hops]]
        self.captured, self.ran = self._by_calls(calls, numbers_of)
        self.rows = np.flatnonzero(has_hops & (numbers(collectives["complete"]) > 0))
        varying = np.isin(self.op, [op for op in np.unique(self.op) if is_varying(int(op))])
        self.hashes = self._hashes(whole, varying)

    def _by_calls(self, calls: pa.Table | None, numbers_of: Callable[[pa.ChunkedArray], Ints]) -> tuple[Ints, Ints]:
        """The library's own name of what ran, if all calls that have one agree, and what the trace says ran."""
        captured, ran = (np.full(len(self.counts), NONE, np.int64) for _ in range(2))
        if calls is not None and calls.num_rows:
            row = np.searchsorted(self.collective_id, numbers(calls["collective_id"]))
            order = np.argsort(row, kind="stable")
            there, first = np.unique(row[order], return_index=True)
            names, trees = numbers_of(calls["algorithm"])[order], numbers_of(calls["tree"])[order]
            most = np.maximum.reduceat(names, first)
            least = np.minimum.reduceat(np.where(names < 0, np.iinfo(np.int64).max, names), first)
            captured[there] = np.where(most == least, most, NONE)
            ran[there] = np.maximum.reduceat(trees, first)
        return captured, ran

    def _hashes(self, whole: Bools, varying: Bools) -> Hashes:
        """Equal for collectives of one kind, of those in `rows`. A sum does not depend on the order of the hops."""
        length = np.where(varying[self.of_hop], 0, np.where(whole & self.is_whole[self.of_hop], NONE, self._length))
        edges = (self.src.astype(np.uint64) << np.uint64(32)) + self.dst.astype(np.uint64)
        # Trees up and down from different roots may have the same edges: where schedules say the roles, these differ.
        messages = _mixed(_mixed(_mixed(edges), length), self.role)
        sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(messages, dtype=np.uint64)])
        first = self._first[self.rows]
        hashes = sums[first + self.counts[self.rows]] - sums[first]
        payload = np.where(varying | self.is_whole, NONE, self.bytes)
        for column in (self.counts, self.op, self.comm, self.root, payload, self.source, self.captured, self.ran):
            hashes = _mixed(hashes, column[self.rows])
        return hashes

    def _span(self, row: int) -> slice:
        return slice(int(self._first[row]), int(self._first[row] + self.counts[row]))

    def sorted_hops(self, row: int) -> Ints:
        """The hops of a collective by sender, receiver and order of sending."""
        return self._order[self._span(row)]

    def lengths(self, row: int) -> Ints:
        """The lengths of its messages."""
        return self._length[self._span(row)]

    def wan(self, row: int) -> Bools:
        """Which of its messages go between clusters."""
        return self._is_wan[self._span(row)]

    def observed(self, row: int, operation: str, place_of: dict[int, int], comm: Communicator) -> Observed:
        """A collective as the recogniser takes it."""
        hops = self._span(row)
        columns = (self.src, self.dst, self._length, self._sent, self._received, self._is_wan)
        messages = [
            Seen(place_of[src], place_of[dst], *rest)
            for src, dst, *rest in zip(*(column[hops].tolist() for column in columns), strict=True)
            if src in place_of and dst in place_of
        ]
        root = None if self.root[row] < 0 else int(self.root[row])
        places = numbered(comm.hosts), numbered(comm.clusters)
        return Observed(operation, len(comm.members), root, int(self.bytes[row]), messages, *places)

    def tagged_roles(self, row: int, place_of: dict[int, int]) -> dict[Edge, list[str]] | None:
        """The roles that the hops of a collective brought with them; None if one has none."""
        roles: dict[Edge, list[str]] = defaultdict(list)
        for hop in self.sorted_hops(row):
            if self.role[hop] < 0:
                return None
            edge = place_of.get(int(self.src[hop]), -1), place_of.get(int(self.dst[hop]), -1)
            if edge[0] != edge[1]:
                roles[edge].append(_ROLES[self.role[hop]])
        return dict(roles)

    def in_child_order(self, row: int, role: str, parents: dict[int, int], place_of: dict[int, int]) -> Places:
        """The parent of each rank of a tree with its place among its siblings: in the order in which the parent posted
        their receives, or sent to them."""
        times: dict[int, tuple[int, int]] = {}
        begun = self._posted if role == UP else self._sent
        for hop in range(self._span(row).start, self._span(row).stop):
            edge = place_of.get(int(self.src[hop]), -1), place_of.get(int(self.dst[hop]), -1)
            child, parent = edge if role == UP else edge[::-1]
            if parents.get(child) == parent:
                times[child] = min(times.get(child, (int(begun[hop]), hop)), (int(begun[hop]), hop))
        siblings: dict[int, int] = defaultdict(int)
        places: Places = {}
        for child in sorted(times, key=times.__getitem__):
            places[child] = parents[child], siblings[parents[child]]
            siblings[parents[child]] += 1
        return places

    def with_roles(self, of_row: Ints, templates: Sequence[_Template]) -> pa.Table:
        """The hops with roles and rounds: of Hopscope's engine the schedule said the roles already."""
        kinds = np.unique(of_row[of_row >= 0])
        role, round_ = self.role, np.full(len(self.src), NONE, np.int64)
        if len(kinds):
            chosen = [templates[kind] for kind in kinds]
            begins = np.cumsum([0, *(len(one.role) for one in chosen)])[:-1]
            row = self.of_hop[self._order]
            within = np.arange(len(row)) - self._first[row]
            has_kind = of_row[row] >= 0
            at = begins[np.searchsorted(kinds, of_row[row][has_kind])] + within[has_kind]
            hops = self._order[has_kind]
            round_[hops] = np.concatenate([one.round for one in chosen])[at]
            found = np.concatenate([one.role for one in chosen])[at]
            role[hops] = np.where(role[hops] < 0, found, role[hops])
        return _with_column(
            _with_column(self._hops, "role", words_of([*_ROLES], role)), "round", with_nulls(round_, pa.int32())
        )


def _with_column(table: pa.Table, name: str, column: pa.Array) -> pa.Table:
    place = table.schema.get_field_index(name)
    return table.append_column(name, column) if place < 0 else table.set_column(place, name, column)


def _roles(column: pa.ChunkedArray) -> Ints:
    """The place of each role in _ROLES, -1 for none."""
    words, codes = coded(column)
    return np.array([*map(_ROLES.index, words), NONE], np.int64)[codes]


def _mixed(values: Hashes, more: Ints | None = None) -> Hashes:
    """Spread numbers, with others, over 64 bits (splitmix64: G. Steele et al., "Fast Splittable Pseudorandom Number
    Generators", OOPSLA 2014)."""
    mixed = values + np.uint64(0x9E3779B97F4A7C15)
    if more is not None:
        mixed = mixed ^ (more.astype(np.uint64) * np.uint64(0xD6E8FEB86659FD93))
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))
