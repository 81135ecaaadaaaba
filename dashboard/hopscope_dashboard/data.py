"""Asks `hopscope` for what the pages show.

The only module of the dashboard that calls it; every number on a page is an analysis's own.
"""

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from hopscope import InputError, Trace
from hopscope.places.source import Excerpt, excerpt
from hopscope.preloading import preload
from hopscope.timeline import MARKS, Columns, Timeline

__all__ = [
    "MARKS", "Columns", "Excerpt", "InputError", "Row", "Rows", "Suggestion", "Timeline", "Trace", "TraceData",
    "preload",
]  # fmt: skip

Row = dict[str, Any]
"""One row of an analysis, keyed by its documented columns."""

Rows = list[Row]

Value = str | int | float | bool | None
Made = TypeVar("Made")


_PARTS_KEPT = 16
"""Of so many selections the answers are kept."""


@dataclass(frozen=True)
class Suggestion:
    """What remapping says: every candidate tree, the sentence, and the suggested tree."""

    candidates: Rows
    sentence: str
    tree_file: str | None
    """JSON text of the suggested tree's file; None if none is suggested."""
    parents: dict[str, Any] | None
    """Of the suggested tree: `comm`, and for `up` and `down` the parent of each rank of the communicator. None if what
    the MPI library ran is the best."""
    is_native: bool
    """Whether the MPI library's own algorithm ran, so that today has no tree."""


class TraceData:
    """One opened trace and the answers that it gave already: a trace does not change while it is looked at."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self._answers: dict[tuple[object, ...], Any] = {}
        self._parts: dict[tuple[tuple[str, str], ...], TraceData] = {}
        self._locks: dict[tuple[object, ...], threading.Lock] = {}
        self._lock = threading.Lock()

    def part(self, options: Mapping[str, str]) -> "TraceData":
        """Give what lies in a part of the run, selected by the options of the analyses. Raises InputError."""
        if not options:
            return self
        key = tuple(sorted(options.items()))
        with self._lock:
            if key not in self._parts:
                while len(self._parts) >= _PARTS_KEPT:
                    self._parts.pop(next(iter(self._parts)))
                self._parts[key] = TraceData(self.trace.part(**options))
            return self._parts[key]

    @property
    def identity(self) -> str:
        """Eight digits that tell datasets apart: of the hash of what the manifest says."""
        return self._once(("identity",), lambda: self.trace.identity[:8])

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
                f"{self.path} does not say what ran, because the table `run` of its dataset is empty. Delete the "
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
    def timeline(self) -> Timeline:
        """The whole run in columns."""
        return self.trace.timeline

    @property
    def number_of_collectives(self) -> int:
        """How many collectives the trace has."""

        def count() -> int:
            return self.trace.table("collectives").num_rows

        return self._once(("collectives",), count)

    def collective(self, comm: int, seq: int) -> Row:
        """Give one collective as the analysis collectives has it. Raises InputError if there is none."""
        rows = self.rows("collectives", comm=comm, seq=seq)
        if not rows:
            raise InputError(f"{self.path} has no collective {comm}:{seq}; the page Collectives lists them")
        return rows[0]

    def findings(self, *about: str, **options: Value) -> Rows:
        """Give the findings about these things, those that there are.

        The rows that they rest on are then there for the page's figures.
        """
        return [
            row
            for key in about
            for row in self._once(_key("findings", {"about": key, **options}), lambda key=key: self._find(key, options))
        ]

    def _find(self, about: str, options: dict[str, Value]) -> Rows:
        answer = self.trace.answer("findings", about=about, **options)
        for other in answer.asked:
            if not other.rows:
                continue  # asked by itself, it may say why it has none
            self._once(_key(other.command.name, other.parameters), lambda rows=other.rows: rows)
        return answer.rows

    @property
    def has_hops(self) -> bool:
        """Whether the trace knows any hop."""
        return bool(self.rows_or_none("tree-edges"))

    def rows(self, command: str, **options: Value) -> Rows:
        """Give the rows of an analysis. Raises InputError where the trace has nothing to answer with."""

        def ask() -> Rows:
            return self.trace.run(command, **options).to_pylist()

        return self._once(_key(command, options), ask)

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
            found.to_pylist(),
            told.get("sentence", ""),
            told.get("tree"),
            json.loads(told.get("parents", "null")),
            told.get("ran") == "native",
        )

    def default(self, command: str, parameter: str) -> Any:
        """Give the value that an analysis takes for a parameter if none is given."""
        known = next(known for known in self.trace.analyses() if known.name == command)
        return next(each.default for each in known.parameters if each.name == parameter)

    def caveats(self) -> list[str]:
        """Give what limits every answer from this trace, in sentences."""
        return self._once(("caveats",), self.trace.caveats)

    def source(self, file: str, line: int) -> Excerpt | None:
        """Give the lines of source around one; None if the file is not at hand."""
        return excerpt(file, line, self.run)

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


def _key(command: str, options: Mapping[str, Value]) -> tuple[object, ...]:
    return (command, *sorted((name, value) for name, value in options.items() if value is not None))
