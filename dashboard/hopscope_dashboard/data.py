"""Asks `hopscope` for what the pages show.

The only module of the dashboard that calls it; every number on a page is an analysis's own.
"""

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from hopscope import InputError, Trace
from hopscope.preloading import preload
from hopscope.render.quantities import quantity

__all__ = ["InputError", "Row", "Rows", "Suggestion", "Trace", "TraceData", "preload", "quantity"]

Row = dict[str, Any]
"""One row of an analysis, keyed by its documented columns."""

Rows = list[Row]

_COLLECTIVE = """
select
    collectives.*,
    comms.name as comm_name,
    (select max(other.seq) from collectives as other where other.comm = $comm and other.seq < $seq) as previous_seq,
    (select min(other.seq) from collectives as other where other.comm = $comm and other.seq > $seq) as next_seq
from collectives
left join comms on collectives.comm = comms.comm
where collectives.comm = $comm and collectives.seq = $seq
"""

Value = str | int | float | bool | None
Made = TypeVar("Made")


@dataclass(frozen=True)
class Suggestion:
    """What remapping says: every candidate tree, the sentence, and the suggested tree."""

    candidates: Rows
    sentence: str
    tree_file: str | None
    """JSON text of the suggested tree's file; None if none is suggested."""
    parents: dict[str, Any] | None
    """Of the suggested tree: `comm`, and for `up` and `down` the parent of each rank of the communicator."""


class TraceData:
    """One opened trace and the answers that it gave already: a trace does not change while it is looked at."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self._answers: dict[tuple[object, ...], Any] = {}
        self._locks: dict[tuple[object, ...], threading.Lock] = {}
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """Last part of the trace's path, as the user gave it."""
        return self.trace.path.resolve().name

    @property
    def path(self) -> str:
        """The trace's path as the user gave it, for commands that the pages print."""
        return str(self.trace.path)

    @property
    def run(self) -> Row:
        """What ran: the row of the table run. Raises InputError if the dataset says nothing of it."""
        rows = self.table("run")
        if not rows:
            raise InputError(
                f"{self.path} does not say what ran: its dataset has no row in `run`. Delete the "
                "dataset and open the trace again"
            )
        return rows[0]

    @property
    def topology_path(self) -> str | None:
        """Where the topology file of the run is, for commands that the pages print; None if the run had none."""
        if self.run["topology_file"] is None:
            return None
        # A trace may be given as its archive or its dataset, which lie in its directory.
        places = (self.trace.path / "topology.json", self.trace.path.parent / "topology.json")
        return str(next((place for place in places if place.is_file()), places[0]))

    @property
    def ranks(self) -> Rows:
        """Every rank with its host and cluster."""
        return self.table("ranks")

    @property
    def number_of_collectives(self) -> int:
        """How many collectives the trace has."""

        def count() -> int:
            return self.trace.table("collectives").num_rows

        return self._once(("collectives",), count)

    def collective(self, comm: int, seq: int) -> Row:
        """Give one collective as the table collectives has it, with `comm_name`, and `previous_seq` and `next_seq` on
        its communicator.

        Raises InputError if there is none.
        """

        def ask() -> Rows:
            return self.trace.sql(_COLLECTIVE, {"comm": comm, "seq": seq}).to_pylist()

        rows = self._once(("collective", comm, seq), ask)
        if not rows:
            raise InputError(
                f"{self.path} has no collective {comm}:{seq}; the page Collectives lists those that it has"
            )
        return rows[0]

    @property
    def has_hops(self) -> bool:
        """Whether the trace knows any hop."""
        return bool(self.rows_or_none("tree-edges"))

    def rows(self, command: str, **options: Value) -> Rows:
        """Give the rows of an analysis. Raises InputError where the trace has nothing to answer with."""
        given = {name: value for name, value in options.items() if value is not None}

        def ask() -> Rows:
            return self.trace.run(command, **given).to_pylist()

        return self._once((command, *sorted(given.items())), ask)

    def rows_or_none(self, command: str, **options: Value) -> Rows:
        """Give the rows of an analysis, none where it has nothing to answer with."""
        try:
            return self.rows(command, **options)
        except InputError:
            return []

    def one(self, command: str, **options: Value) -> Row:
        """Give the only row of an analysis. Raises InputError where it has none."""
        rows = self.rows(command, **options)
        if not rows:
            raise InputError(f"{self.path}: {command} has no row")
        return rows[0]

    def remap(self) -> Suggestion:
        """Give the candidate trees and the suggested one.

        Takes seconds on large traces. Raises InputError without hops.
        """
        return self._once(("remap",), self._remap)

    def _remap(self) -> Suggestion:
        found = self.trace.remap()
        told = {name.decode(): text.decode() for name, text in (found.schema.metadata or {}).items()}
        return Suggestion(
            found.to_pylist(), told.get("sentence", ""), told.get("tree"), json.loads(told.get("parents", "null"))
        )

    def caveats(self) -> list[str]:
        """Give what limits every answer from this trace, in sentences."""
        return self._once(("caveats",), self.trace.caveats)

    def table(self, name: str) -> Rows:
        """Give the rows of a table of the dataset."""

        def read() -> Rows:
            return self.trace.table(name).to_pylist()

        return self._once(("table", name), read)

    def _once(self, key: tuple[object, ...], make: Callable[[], Made]) -> Made:
        # Pages are drawn by several threads at once; an analysis that takes seconds is run by the first and awaited
        # by the others.
        with self._lock:
            lock = self._locks.setdefault(key, threading.Lock())
        with lock:
            if key not in self._answers:
                self._answers[key] = make()
            return self._answers[key]
