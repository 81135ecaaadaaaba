"""Gives every hop its role and round, and every collective its kind, while a trace is converted.

Collectives are of one kind if these agree: operation, communicator, root, payload, all messages with the roles from the
schedule, the recorded names of the algorithm, and what sent the messages (the engine or the MPI library). The payload
does not count if every message carries all of it. Message lengths do not count in operations whose ranks may have parts
of different lengths. A kind is recognised once, from the piece of the trace in which it first occurs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final

import numpy as np
import pyarrow as pa

from hopscope.algorithms import blocking_form
from hopscope.algorithms.candidates import HIDES_BYTES
from hopscope.algorithms.kinds import Kind, kind_of, parents_of
from hopscope.algorithms.messages import DOWN, UP
from hopscope.dataset.convert.chains import Exchanges, chains
from hopscope.dataset.convert.columns import NULL, Ints, coded, is_null, table_of, with_nulls
from hopscope.dataset.convert.part_hops import ROLES, Communicator, Part, Template, with_column
from hopscope.dataset.convert.trees import Places, Trees

Table = tuple[str, pa.Table]
_OF_PART: Final = ("collectives", "calls", "steps", "hops")
_MOST_EXAMPLES: Final = 8
_MOST_EXAMINED: Final = 1 << 16
"""The approximate number of messages to examine for a kind. Collectives with many messages give fewer examples."""


class Kinds:
    """The kinds of collectives found so far. Pass the tables piece by piece, in the order of their rows; no collective
    may be split between two pieces."""

    def __init__(self, communicator: Callable[[int], Communicator], clusters: Sequence[str]) -> None:
        """clusters: the cluster of each rank."""
        self._communicator = communicator
        self._clusters = clusters
        self._numbers: dict[int, int] = {}
        """The number of each kind, by its hash."""
        self._words: list[str] = []
        self._number_of: dict[str, int] = {}
        self._varying: dict[int, bool] = {}
        self._templates: list[Template] = []
        self._rows: list[dict[str, Any]] = []
        self._trees = Trees()

    def completed(self, tables: Iterable[Table]) -> Iterator[Table]:
        """Complete the tables: collectives with their kinds and hops with their roles and rounds. For each part of the
        run, `tables` has the collectives first and then the other tables."""
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
        tables_by_name = dict(part)
        completed = self.of_part(tables_by_name["collectives"], tables_by_name.get("calls"), tables_by_name.get("hops"))
        for name, rows in part:
            yield name, completed.pop(name, rows)
        yield from completed.items()

    def of_part(self, collectives: pa.Table, calls: pa.Table | None, hops: pa.Table | None) -> dict[str, pa.Table]:
        """The completed tables of a part: collectives with their kinds, hops with roles and rounds, and the chains of
        exchanges."""
        if hops is None or not hops.num_rows:
            return {
                "collectives": with_column(
                    collectives, "kind", with_nulls(np.full(collectives.num_rows, NULL, np.int64), pa.int64())
                )
            }
        part = Part(collectives, calls, hops, self._numbered_words, self._is_varying)
        of_row = self._kinds_of(part)
        completed = {
            "collectives": with_column(collectives, "kind", with_nulls(of_row, pa.int64())),
            "hops": part.with_roles(of_row, self._templates),
        }
        in_exchange = np.array([*(template.is_exchange for template in self._templates), False])[of_row]
        # A chain is unknown if a wait in the collective is hidden.
        has_chain = in_exchange & is_null(collectives["native_reason"])
        if calls is not None and has_chain.any():
            is_down = part.role == ROLES.index(DOWN)
            between_peers = (part.role != ROLES.index(UP)) & ~is_down
            exchanges = Exchanges(
                collectives,
                calls,
                completed["hops"],
                part.of_hop,
                between_peers,
                is_down,
                has_chain,
                self._clusters,
            )
            completed["chains"] = chains(exchanges)
        return completed

    def tables(self) -> Iterator[Table]:
        """The tables `kinds` and `trees`, after the last piece."""
        yield "kinds", table_of("kinds", self._rows)
        yield "trees", self._trees.table()

    def _numbered_words(self, column: pa.ChunkedArray) -> Ints:
        """A number for each text, equal in all pieces; -1 for null."""
        words, codes = coded(column)
        for word in words:
            if word not in self._number_of:
                self._number_of[word] = len(self._words)
                self._words.append(word)
        return np.array([*(self._number_of[word] for word in words), NULL], np.int64)[codes]

    def _word(self, number: int) -> str | None:
        return None if number < 0 else self._words[number]

    def _is_varying(self, op: int) -> bool:
        """Tell if the message lengths of an operation say nothing about its payload. op: the number of the operation's
        name."""
        if op not in self._varying:
            self._varying[op] = blocking_form(str(self._word(op))) in HIDES_BYTES
        return self._varying[op]

    def _kinds_of(self, part: Part) -> Ints:
        """The kind of each collective of a part; -1 if it has none. Recognises new kinds."""
        hashes, first, of_hash = np.unique(part.hashes, return_index=True, return_inverse=True)
        kinds = np.full(len(hashes), NULL, np.int64)
        for place in np.argsort(first):
            value = int(hashes[place])
            if value not in self._numbers:
                self._numbers[value] = len(self._rows)
                rows = part.rows[of_hash == place]
                example_count = max(1, min(_MOST_EXAMPLES, _MOST_EXAMINED // max(1, int(part.counts[rows[0]]))))
                self._add(part, rows[:: -(-len(rows) // example_count)])
            kinds[place] = self._numbers[value]
        of_row = np.full(len(part.counts), NULL, np.int64)
        of_row[part.rows] = kinds[of_hash]
        return of_row

    def _add(self, part: Part, rows: Ints) -> None:
        """Recognise a kind from the collectives in these rows of the part."""
        row = int(rows[0])
        comm = self._communicator(int(part.comm[row]))
        place_of = {rank: place for place, rank in enumerate(comm.members)}
        op = str(self._word(int(part.op[row])))
        examples = [part.observed(int(example_row), blocking_form(op), place_of, comm) for example_row in rows]
        source = str(self._word(int(part.source[row])))
        captured, ran_name = self._word(int(part.captured[row])), self._word(int(part.ran_name[row]))
        tagged = part.tagged_roles(row, place_of) if source != "native" else None
        kind = kind_of(
            examples,
            captured=captured,
            by_schedule=tagged,
            is_between_groups=comm.second_group is not None,
            tree_file_name=ran_name if source != "native" else None,
        )
        number = len(self._rows)
        any_payload = bool(part.is_whole[row]) and not self._is_varying(int(part.op[row]))
        template = Template.from_collective(part, row, kind, place_of)
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
                "ran": ran_name,
                "captured": captured,
                "algorithm": kind.algorithm,
                "same": kind.equivalents,
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
                    tree_name=ran_name if source != "native" else None,
                    recognised=kind.algorithm,
                    op=op,
                ),
            }
        )

    def _trees_of(self, part: Part, row: int, kind: Kind, place_of: dict[int, int]) -> dict[tuple[int, str], Places]:
        """The trees that the messages ran along, by root and role."""
        trees: dict[tuple[int, str], Places] = {}
        for role in (UP, DOWN):
            parents = parents_of(kind.roles, role, len(place_of))
            if parents:
                root = next(iter(set(parents.values()) - parents.keys()))
                trees[root, role] = part.in_child_order(row, role, parents, place_of) | {root: (None, 0)}
        return trees
