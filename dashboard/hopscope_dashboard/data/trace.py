"""Asks `hopscope` for the pages' data.

It is the dashboard's only module that calls `hopscope`. Every number on a page is the result of an analysis.
"""

import json
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from hopscope import InputError, Trace
from hopscope.advice import remedies
from hopscope.advice.remedies import Remedy
from hopscope.algorithms.recognition import UNRECOGNISED
from hopscope.callsites.source import Excerpt, excerpt
from hopscope.errors import shortened_list
from hopscope.export import stream_result
from hopscope.query import worker
from hopscope.query.relations import Relation
from hopscope.query.stopping import Stop
from hopscope.render.machine import as_csv, cell
from hopscope.render.static_page import static_page
from hopscope.selection import OPTIONS as PART_OPTIONS
from hopscope.selection import misread
from hopscope.timeline import MARKS, Columns, Timeline
from hopscope.trace.preloading import preload
from hopscope.vocabulary.mpi_functions import of_kinds

from hopscope_dashboard.data.answers import Bounds, Compared, Result, Row, Rows, Suggestion
from hopscope_dashboard.data.computations import Computations

__all__ = [
    "MARKS", "MESSAGE_CALLS", "PART_OPTIONS", "UNRECOGNISED", "Bounds", "Columns", "Compared", "Excerpt", "InputError",
    "Machine", "Relation", "Remedy", "Result", "Row", "Rows", "Stop", "Suggestion", "Sweep", "Timeline",
    "Trace", "TraceData", "meanings", "misread", "preload", "reopened", "shortened_list", "static_page", "worker",
]  # fmt: skip

MESSAGE_CALLS = of_kinds("p2p", "wait", "test", "look")
"""The MPI functions of point-to-point messages."""

Value = str | int | float | bool | None
Answer = TypeVar("Answer")


_LONG_LIST = "collectives"
_ROWS_AT_ONCE = 50_000
"""Rows of _LONG_LIST written at a time: it may have millions of rows."""

_PARTS_KEPT = 16
"""Largest number of selections whose answers are kept."""


class TraceData:
    """An opened trace and the answers that were computed so far. They stay valid: an open trace does not change."""

    def __init__(self, trace: Trace, name: str | None = None) -> None:
        """`name`: the trace's name on the pages; by default the last part of its path."""
        self.trace = trace
        self.name = name or trace.path.resolve().name
        self.other_traces: tuple[TraceData, ...] = ()
        """The other traces that are served, each with its whole run."""
        self.sweep: Sweep | None = None
        """Sweep of the machine, if its file was given."""
        self._answers: Computations[tuple[object, ...], Any] = Computations()
        self._parts: Computations[tuple[tuple[str, str], ...], TraceData] = Computations(_PARTS_KEPT)

    def part(self, options: Mapping[str, str]) -> "TraceData":
        """Give the data of a part of the run, which the options of the analyses select. Raises InputError if there is
        no such part."""

        def select() -> TraceData:
            part_data = TraceData(self.trace.part(**options), self.name)
            part_data.other_traces = self.other_traces
            part_data._answers.running = self._answers.running
            return part_data

        return self._parts.answer(tuple(sorted(options.items())), select) if options else self

    @property
    def computing(self) -> list[tuple[str, float]]:
        """Analyses being computed, of the run and of its parts, with their elapsed seconds."""
        now_s = time.monotonic()
        return [(str(key[0]), now_s - begin_s) for key, begin_s in list(self._answers.running.values())]

    @property
    def bounds(self) -> Bounds:
        """Selected part of the run, as the timelines shade it."""
        part = self.trace.bounds
        return Bounds(part.from_ns, part.to_ns, part.ranks, part.comms, part.operation)

    @property
    def scope(self) -> str:
        """Words for the trace or its selected part, as the subject of a sentence about what it lacks."""
        return "This part of the run" if self.trace.bounds.is_restricted() else "This trace"

    @property
    def identity(self) -> str:
        """Eight digits that tell datasets apart: the beginning of the hash of the dataset's manifest."""
        return self._cached_answer(("identity",), lambda: self.trace.identity[:8])

    @property
    def path(self) -> str:
        """The trace's path as the user gave it, for commands that the pages print."""
        return str(self.trace.path)

    @property
    def run(self) -> Row:
        """The row of the table `run`. Raises InputError if the table is empty."""
        rows = self.table("run")
        if not rows:
            raise InputError(
                f"{self.path} does not say what ran, because the table `run` of its dataset is empty. Delete the "
                "dataset and open the trace again"
            )
        return rows[0]

    @property
    def ranks(self) -> Rows:
        """Every rank with its host and cluster."""
        return self.table("ranks")

    @property
    def timeline(self) -> Timeline:
        """The timeline of the whole run, in columns."""
        return self.trace.timeline

    @property
    def number_of_collectives(self) -> int:
        """Number of collectives in the trace."""

        def count() -> int:
            return self.trace.table("collectives").num_rows

        return self._cached_answer(("collectives",), count)

    def collective(self, comm: int, seq: int) -> Row:
        """Give the row of one collective in `analyze collectives`. Raises InputError if there is no such collective."""
        rows = self.rows("collectives", comm=comm, seq=seq)
        if not rows:
            raise InputError(f"{self.path} has no collective {comm}:{seq}; the page Collectives lists them")
        return rows[0]

    def collective_names(self) -> Mapping[int | None, str]:
        """Give the name of each collective, COMM:SEQ, by its number in the dataset."""

        def read() -> dict[int | None, str]:
            columns = self.trace.table("collectives").select(["collective_id", "comm", "seq"]).to_pydict()
            return {collective_id: f"{comm}:{seq}" for collective_id, comm, seq in zip(*columns.values(), strict=True)}

        return self._cached_answer(("collective-names",), read)

    @property
    def longest_names(self) -> tuple[int, int]:
        """Lengths of the longest name of a collective (COMM:SEQ) and of an operation."""

        def read() -> tuple[int, int]:
            collectives = self.trace.table("collectives")
            comm, seq = (max(collectives[name].to_pylist(), default=0) for name in ("comm", "seq"))
            return len(f"{comm}:{seq}"), max((len(op) for op in collectives["op"].unique().to_pylist()), default=0)

        return self._cached_answer(("longest names",), read)

    def number_of(self, *tables: str) -> int:
        """Give the total number of rows of these tables of the whole trace, without reading them."""
        return sum(self.trace.number_of_rows(table) for table in tables)

    @property
    def has_hops(self) -> bool:
        """True if the trace has any hop."""
        return self.number_of("hops") > 0

    @property
    def has_places(self) -> bool:
        """True if the trace has the call site of any MPI call."""
        return "places" in self.trace.named

    @property
    def has_regions(self) -> bool:
        """True if the program or another tool marked any region."""
        return "regions" in self.trace.named

    def rows(self, command: str, **options: Value) -> Rows:
        """Give the rows of an analysis. Raises InputError where the trace lacks what the analysis needs."""
        return self._cached_answer(_key(command, options), lambda: self.rows_now(command, **options))

    def rows_now(self, command: str, **options: Value) -> Rows:
        """Give the rows of an analysis without keeping them. For requests while a user types or scrolls: all their
        answers would fill the memory."""
        return self.trace.run(command, **options).to_pylist()

    def csv(self, command: str, options: Mapping[str, Value], base: "TraceData | None" = None) -> Iterator[str]:
        """Give all rows of an analysis as `--format csv` writes them, in pieces. `base`: the baseline of `compare`.
        Options may not name a trace, because clients may read only the traces served. Raises InputError."""
        analysis = next((analysis for analysis in self.trace.analyses() if analysis.name == command), None)
        trace_parameters = (
            {parameter.name for parameter in analysis.parameters if parameter.type in ("TRACE", "TRACES")}
            if analysis
            else set()
        )
        if trace_parameters & set(options):
            raise InputError(f"{command} is answered here without {', '.join(sorted(trace_parameters & set(options)))}")
        if command != _LONG_LIST:
            base_option = {} if base is None else {"base": base.trace}
            yield as_csv(self.trace.run(command, **base_option, **options))
            return
        done = 0
        while True:
            rows = self.trace.run(command, **{**options, "skip": done, "limit": _ROWS_AT_ONCE})
            text = as_csv(rows)
            yield text.partition("\n")[2] if done else text
            done += rows.num_rows
            if rows.num_rows < _ROWS_AT_ONCE:
                return

    def rows_or_none(self, command: str, **options: Value) -> Rows:
        """Give the rows of an analysis; an empty list where the trace lacks what the analysis needs."""
        try:
            return self.rows(command, **options)
        except InputError:
            return []

    def only_row(self, command: str, **options: Value) -> Row:
        """Give the only row of an analysis. Raises InputError where it has none."""
        rows = self.rows(command, **options)
        if not rows:
            raise InputError(f"{self.path}: {command} has no row")
        return rows[0]

    @property
    def left_out(self) -> Mapping[str, str]:
        """Phases of the run that answers about the critical path leave out, such as start-up, in words. The key is the
        option that includes the phase."""
        return self._cached_answer(("left out",), lambda: self.trace.left_out)

    @property
    def part_notes(self) -> Sequence[str]:
        """Notes on the selected part of the run, in sentences."""
        return self._cached_answer(("part notes",), lambda: self.trace.part_notes)

    @property
    def iterations_found(self) -> str | None:
        """Sentence on the run's iterations and how certain they are; None if the run has none."""
        return self._cached_answer(("iterations found",), lambda: self.trace.iterations_found)

    def compared_with(self, new: "TraceData", grouping: str) -> Compared:
        """Give the answer of `analyze compare --by` about `new`, with this run as the baseline.

        Raises InputError if the two runs cannot be compared.
        """

        def ask() -> Compared:
            answer = new.trace.answer("compare", base=self.trace, by=grouping)
            return Compared(answer.rows, answer.notes)

        return self._cached_answer(("compare", grouping, new.identity), ask)

    def remap(self) -> Suggestion:
        """Give the candidate trees and the suggested one.

        Takes seconds on large traces. Raises InputError without hops.
        """
        return self._cached_answer(("remap",), self._remap)

    def rank_order(self) -> Remedy:
        """Give the suggested rank order. Raises InputError if this trace allows none."""
        return self._cached_answer(("reorder",), lambda: remedies.rank_order(self.trace))

    def library_setting(self) -> Remedy:
        """Give the suggested setting of the run's MPI library. Raises InputError if the library cannot be asked for its
        algorithms."""
        return self._cached_answer(("remap --for",), lambda: remedies.library_setting(self.trace))

    def suggested_tree(self) -> Remedy:
        """Give the suggested tree with its command. Raises InputError without hops."""
        return self._cached_answer(("remap", "command"), lambda: remedies.tree(self.trace, self._remapped()))

    def _remapped(self) -> Any:
        return self._cached_answer(("trees",), self.trace.remap)

    def _remap(self) -> Suggestion:
        candidates = self._remapped()
        metadata = {name.decode(): text.decode() for name, text in (candidates.schema.metadata or {}).items()}
        return Suggestion(
            candidates.to_pylist(),
            metadata.get("sentence", ""),
            metadata.get("tree"),
            json.loads(metadata.get("parents", "null")),
            metadata.get("ran") == "native",
        )

    def default(self, command: str, parameter: str) -> Any:
        """Give the default of a parameter of an analysis."""
        analysis = next(analysis for analysis in self.trace.analyses() if analysis.name == command)
        return next(
            known_parameter.default for known_parameter in analysis.parameters if known_parameter.name == parameter
        )

    def caveats(self) -> list[str]:
        """Give the sentences of `limits`."""
        return [limit["sentence"] for limit in self.limits()]

    def limits(self) -> Rows:
        """Give the limits that hold for every answer about this trace, each with its kind and a sentence."""
        return self._cached_answer(("limits",), self.trace.limits)

    def source(self, file: str, line: int) -> Excerpt | None:
        """Give the lines of source around `line`; None if the file is not available."""
        return excerpt(file, line, self.run)

    def first_rows(self, query: str, limit: int, stop: Stop) -> Result:
        """Give the first rows of a query that the user wrote. Raises InputError where it fails, does more than read or
        is stopped."""
        table, whole = self.trace.first_rows(query, limit, stop)
        rows = [[cell(value) for value in row.values()] for row in table.to_pylist()]
        columns = list(zip(*rows, strict=True)) or [()] * table.num_columns
        return Result(table.column_names, [_are_numbers(column) for column in columns], rows, whole)

    def written(self, query: str, form: str, stop: Stop) -> Generator[bytes]:
        """Give the whole result of a query that the user wrote as a file, piece by piece. Raises InputError where the
        query fails, does more than read or is stopped."""
        return stream_result(self.trace, query, form, stop)

    @property
    def relations(self) -> Sequence[Relation]:
        """The tables and views that a user's query can read."""
        return self._cached_answer(("relations",), self.trace.relations)

    def table(self, name: str) -> Rows:
        """Give the rows of a table of the dataset."""

        def read() -> Rows:
            return self.trace.table(name).to_pylist()

        return self._cached_answer(("table", name), read)

    def _cached_answer(self, key: tuple[object, ...], make: Callable[[], Answer]) -> Answer:
        return self._answers.answer(key, make)


class Sweep:
    """A sweep's file, as `analyze decide` reads it."""

    def __init__(self, path: Path) -> None:
        """Raises InputError if the file is not from `hopscope sweep`."""
        from hopscope.advice.sweep.decision import decisions, penalty_of  # imported late: loads scipy
        from hopscope.advice.sweep.measured import read
        from hopscope.advice.sweep.models import NAMES
        from hopscope.advice.sweep.summary import summary

        self.path = str(path)
        self.rows: Rows = decisions(read(path))
        self.models = {name.lower(): name for name in NAMES}
        """Names of the models, by the column that has the model's choices."""
        self.penalty_of = penalty_of
        self.summary = tuple(summary(self.rows))


class Machine:
    """A machine file, as `analyze model` reads it."""

    def __init__(self, path: Path) -> None:
        """Raises InputError if the file is not a machine file."""
        from hopscope.machine.parameters import answer_of_machine, measured_over_sizes, table_of  # loads scipy

        answer = answer_of_machine(path)
        self.name, self.path = path.name, str(path)
        self.content = answer.content
        """The content of the file (schemas/machine.schema.json)."""
        self.parameters: Rows = table_of(answer.rows).to_pylist()
        self.curves: Rows = [curve._asdict() for curve in measured_over_sizes(answer)]
        """Each quantity of each link over the size of a message; measured quantities have intervals."""
        self.notes = answer.notes


def meanings(command: str, *columns: str | None, **options: Value) -> list[str | None]:
    """Give tooltips for the headings of a table: the meanings of an analysis's columns, from its header. For a heading
    of several columns, give their names with blanks between; for a heading of no column, None."""
    analysis = next(definition for definition in Trace.analyses() if definition.name == command).choose(options)[0]
    meaning_of = {column.name: column.meaning.replace("`", "") for column in analysis.columns}
    return [None if names is None else " ".join(meaning_of[name] for name in names.split()) for names in columns]


def reopened(path: str, dataset: str) -> Trace:
    """Give a trace that another process has already opened, from its dataset. Raises InputError."""
    return Trace(Path(path), Path(dataset), lean=True)


def _are_numbers(values: Sequence[Value]) -> bool:
    return any(value is not None for value in values) and all(
        value is None or (isinstance(value, int | float) and not isinstance(value, bool)) for value in values
    )


def _key(command: str, options: Mapping[str, Value]) -> tuple[object, ...]:
    return (command, *sorted((name, value) for name, value in options.items() if value is not None))
