"""A trace as Python sees it: every analysis is a method that returns an Arrow table.

import hopscope

trace = hopscope.open("hopscope-4711")
trace.critical_path(by="rank").to_pylist()
"""

import inspect
from collections.abc import Callable, Generator, Mapping, Sequence
from copy import copy
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pyarrow as pa

from hopscope.callsites.calls import PRESENCE_QUERIES
from hopscope.dataset import untraced
from hopscope.dataset.manifest import existing, is_dataset
from hopscope.dataset.memory import check_address_space, memory_for
from hopscope.dataset.store import Store
from hopscope.errors import InputError, suggestion
from hopscope.explain import verdict
from hopscope.query import catalog
from hopscope.query.answer import Answer
from hopscope.query.catalog import Analysis, Command, Scalar
from hopscope.query.notebook import trace_html
from hopscope.query.notes import Notes
from hopscope.query.relations import Relation
from hopscope.query.runner import Runner
from hopscope.query.stopping import Stop
from hopscope.selection import OPTIONS, WHOLE_RUN, Part, Selection, about_the_whole_run, find, of_ranks, split
from hopscope.selection.comparability import about_runs
from hopscope.timeline import Timeline
from hopscope.trace.computed import Computed

if TYPE_CHECKING:
    from hopscope.query._analyses import Analyses  # types only, made from the headers; no module at run time
else:
    Analyses = object

Progress = Callable[[str, int, int], None]
"""Called with the current stage, the amount of work done and the total amount."""

_PARTS_KEPT = 8
"""The number of parts of a run that a trace keeps open."""


class Trace(Computed, Analyses):
    """An opened trace, archive or dataset. `trace.analyses()` lists the analyses; each is a method of the same name."""

    def __init__(self, path: Path, dataset: Path, *, lean: bool = False) -> None:
        """Raises InputError if the dataset is incomplete. Call `hopscope.open` instead."""
        self._lean = lean
        self.path = path
        self.dataset = dataset
        self.selection = WHOLE_RUN
        """The part of the run to which this trace is restricted."""
        self._part_of: Trace | None = None
        self._parts: dict[Selection, Trace] = {}
        with memory_for("opening the dataset"):
            self._store = Store(dataset)
            self._runner = Runner(self._store, catalog.load(), lean=lean)
        self._notes = Notes(self._runner, WHOLE_RUN)

    @property
    def _whole(self) -> "Trace":
        """The trace of the whole run, of which this trace is a part."""
        return self._part_of or self

    def part(self, **options: Any) -> "Trace":
        """Restrict this trace to a part of its run: by `from_`, `to`, `ranks`, `comm`, `operation`, `region`, `place`
        and `iteration_at`, as `hopscope.selection` describes them. If this trace is a part already, its options stay,
        except those that are given again. Raises InputError."""
        selection, unknown = split(options, set())
        if unknown:
            name = next(iter(unknown))
            raise InputError(f"a part of a run has no option {name!r}; its options are {', '.join(OPTIONS)}")
        return self._part(self.selection.merge(selection))

    @property
    def bounds(self) -> Part:
        """The part of the run to which this trace is restricted, in ns and numbers; for the whole run, all fields are
        None."""
        return self._runner.part

    def _part(self, selection: Selection) -> "Trace":
        """The part of the run that a selection means. The trace of the whole run keeps the part open."""
        whole = self._whole
        if selection == self.selection:
            return self
        if selection == WHOLE_RUN:
            return whole
        part = whole._parts.get(selection)
        if part is None:
            part = whole._made_part(selection)
            while len(whole._parts) >= _PARTS_KEPT:
                whole._parts.pop(next(iter(whole._parts)), None)
            whole._parts[selection] = part
        return part

    def _made_part(self, selection: Selection) -> "Trace":
        run_selection = Selection(iteration_at=selection.iteration_at)
        if selection == run_selection:
            run_notes = None
            finder = Runner(self._store, catalog.load(), Part(iteration_at=selection.iteration_at), lean=self._lean)
        else:
            run = self._part(run_selection)
            run_notes, finder = run._notes, run._runner
        part = copy(self)
        part.__dict__.pop("run_facts", None)
        part.selection, part._parts, part._part_of = selection, {}, self
        with memory_for("opening the dataset"):
            part._runner = Runner(self._store, catalog.load(), find(selection, finder.rows), lean=self._lean)
        part._notes = Notes(part._runner, selection, run_notes)
        return part

    def answer(self, command: str, **options: "Option") -> Answer:
        """Run an analysis by its command's name. Raises InputError for an unknown name, option or value, or if the
        trace lacks the data."""
        commands = catalog.load()
        options = {**catalog.current(command)[1], **options}
        try:
            analysis_command = commands.command(command)
        except KeyError:
            raise InputError(
                f"unknown analysis {command!r}; choose one of {', '.join(commands.commands)}"
                + suggestion(command, commands.commands)
            ) from None
        selection, options = split(options, {p.name for p in analysis_command.parameters})
        settings = {name: _in_words(value) for name, value in options.items()}
        try:
            analysis, parameters = analysis_command.choose(settings)
        except ValueError as error:
            raise InputError(str(error)) from None
        if selection != WHOLE_RUN:
            if analysis.whole_run:
                raise InputError(about_the_whole_run(analysis_command.name, selection))
            narrower = self.selection.merge(selection)
            if narrower != self.selection:
                return self._part(narrower).answer(command, **options)
        if analysis.whole_run and self._whole is not self:
            return self._whole.answer(command, **options)
        self._notes.check_contents()
        for name, value in untraced.read(self.path).items():
            if name in parameters and parameters[name] is None:
                parameters[name] = value
        runs = [self, *self._other_runs(options.get("also"), analysis)]
        base = self._base_runs(options, analysis)
        notes = about_runs(runs, base, may_repeat="also" in parameters)
        inputs: list[Answer] = []
        table = verdict.rows(analysis, parameters, [run._run for run in runs], [run._run for run in base], inputs)
        notes = (*notes, *self._notes.of_answer(table, analysis, parameters, self.path))
        return Answer(
            of_ranks(table, analysis.key, self._runner.part.ranks),
            analysis_command,
            analysis,
            parameters,
            notes,
            self.selection,
            tuple(inputs),
        )

    @property
    def _run(self) -> verdict.Run:
        return verdict.Run(self.path, self._runner)

    @property
    def iterations_found(self) -> str | None:
        """The run's iterations and their certainty, in a sentence; None if it has none."""
        return self._notes.iterations

    @property
    def part_notes(self) -> tuple[str, ...]:
        """Notes on the part of the run to which this trace is restricted, in sentences: how certain its iterations are,
        and that it is empty or has no collective."""
        return self._notes.of_part

    @property
    def left_out(self) -> Mapping[str, str]:
        """Phases that answers about the run's critical path leave out, such as `439 ms of start-up (7.8 % of the
        path)`, by the option that includes them."""
        return self._notes.left_out

    def _other_runs(self, values: object, analysis: Analysis) -> "list[Trace]":
        return [run._part(run.selection.merge(self.selection)) for run in _open_runs(values, analysis)]

    def _base_runs(self, options: Mapping[str, "Option"], analysis: Analysis) -> "list[Trace]":
        """The runs to compare with; empty for an analysis that does not compare."""
        if analysis.base is None:
            return []
        first = self._other_runs((options.get(analysis.base),), analysis)
        return [*first, *self._other_runs(options.get("base_also"), analysis)]

    def run(self, command: str, **options: "Option") -> pa.Table:
        """The table of an analysis by its command's name; see `answer`."""
        return self.answer(command, **options).table

    def describe(self, analysis: Analysis) -> list[tuple[str, str]]:
        """Names and DuckDB types of the columns that an analysis has on this trace."""
        return self._runner.describe(analysis)

    def statements(self, answer: Answer) -> str:
        """All SQL behind an answer: views and macros first, then the query with its parameters as comments. The SQL of
        the analyses that it used comes before."""
        if answer.selection != self.selection:
            return self._part(answer.selection).statements(answer)
        questions = [(part_answer.analysis, part_answer.parameters) for part_answer in (*answer.inputs, answer)]
        return self._runner.statements.shown(questions)

    def sql(self, query: str, parameters: Mapping[str, Scalar] | None = None) -> pa.Table:
        """The result of a SELECT over the dataset's tables and the catalog's views. Raises InputError."""
        return self._runner.users.table(query, parameters or {})

    def batches(
        self, query: str, parameters: Mapping[str, Scalar] | None = None, *, stop: Stop | None = None
    ) -> Generator[pa.RecordBatch]:
        """Stream the result of `sql` in at least one piece, so that it need not fit into memory. Raises InputError if
        the query fails, or if `stop` ended it."""
        return self._runner.users.batches(query, parameters or {}, stop)

    def first_rows(self, query: str, most: int, stop: Stop | None = None) -> tuple[pa.Table, int | None]:
        """The first `most` rows of the result of `sql`, and the number of all its rows. The number is None if `stop`
        ended the counting. Raises InputError if the query fails, or if `stop` ended it before."""
        return self._runner.users.first_rows(query, most, stop)

    def relations(self) -> list[Relation]:
        """The tables and views that `sql` can read, with their columns."""
        return self._runner.users.relations()

    def table(self, name: str) -> pa.Table:
        """One table of the dataset as `schemas/tables` describes it. Raises InputError for an unknown name."""
        self._check_table(name)
        return self._runner.query("from query_table($name)", {"name": name})

    def number_of_rows(self, table: str) -> int:
        """The number of rows of a whole table, whatever part of the run is selected. It comes from the manifest, so no
        file is read. Raises InputError for an unknown name."""
        self._check_table(table)
        return self._store.rows(table)

    def _check_table(self, name: str) -> None:
        if name not in self._store.schemas:
            raise InputError(f"a dataset has no table {name!r}; its tables are {', '.join(self._store.schemas)}")

    def caveats(self) -> list[str]:
        """Limits of every answer from this trace, in sentences: what is missing, emulated, or beyond the clocks."""
        return [str(limit["sentence"]) for limit in self.limits()]

    def limits(self) -> list[dict[str, Any]]:
        """Limits of every answer, as dictionaries with `sentence` and `kind`. The kind is the item in `analyze
        trust`."""
        rows = self._whole._runner.recalled_rows_of("limits").sort_by(
            [("place", "ascending"), ("sentence", "ascending")]
        )
        return rows.select(["kind", "sentence"]).to_pylist()

    @property
    def identity(self) -> str:
        """The identity of this dataset: the SHA-256 of the hashes of its files, in hexadecimal digits."""
        return self._store.identity

    @cached_property
    def named(self) -> frozenset[str]:
        """The kinds of names that the run has: `places` if calls of MPI have call sites, `regions` if it has
        regions."""
        return frozenset(name for name, query in PRESENCE_QUERIES.items() if self._whole._runner.rows(query, {}))

    @property
    def keeps_answers(self) -> bool:
        """True if answers are kept beside the dataset, which is done for long runs."""
        return self._runner.cache.is_worthwhile

    @cached_property
    def run_facts(self) -> dict[str, Any]:
        """The row of the table `run`; empty if the dataset has none."""
        rows = self.table("run").to_pylist()
        return rows[0] if rows else {}

    @cached_property
    def timeline(self) -> Timeline:
        """The data of a picture of the whole run: columns of time by rank and category, and the marks in a range."""
        return Timeline(self._runner, sum(self._store.rows(table) for table in ("calls", "intervals", "hops")))

    @staticmethod
    def analyses() -> list[Command]:
        """Every analysis with its grains, parameters and columns."""
        return list(catalog.load().commands.values())

    if not TYPE_CHECKING:  # so that a type checker finds a misspelt analysis

        def __getattr__(self, name: str) -> Callable[..., pa.Table]:
            """The analysis of this name as a function of its options."""
            try:
                command = catalog.load().command(name) if not name.startswith("_") else None
            except KeyError:
                command = None
            if command is None:
                raise AttributeError(
                    f"a trace has no {name!r}; its analyses are {', '.join(c.function for c in self.analyses())}"
                )

            def analysis(**options: "Option") -> pa.Table:
                return self.run(name, **options)

            analysis.__name__ = command.function
            analysis.__doc__ = catalog.documentation(command)
            options = dict.fromkeys([*command.choices, *(p.name for p in command.parameters)])
            fields = [inspect.Parameter(option, inspect.Parameter.KEYWORD_ONLY, default=None) for option in options]
            analysis.__dict__["__signature__"] = inspect.Signature(fields, return_annotation=pa.Table)
            return analysis

    def __dir__(self) -> list[str]:
        return sorted([*super().__dir__(), *(command.function for command in self.analyses())])

    def _repr_html_(self) -> str:
        return trace_html(self.path.name, self.run_facts, self.run("diagnose").to_pylist()[0])

    def __repr__(self) -> str:
        return f"hopscope.open({str(self.path)!r})"


Run = Trace | str | Path
Option = Scalar | Run | Sequence[Run]
"""An option of an analysis: a value, a run or several runs."""


def _in_words(value: Option) -> Scalar:
    if isinstance(value, Trace | Path):
        return str(value.path if isinstance(value, Trace) else value)
    if value is None or isinstance(value, str | bool | int | float):
        return value
    return " ".join(str(_in_words(run)) for run in value) or None


def _open_runs(values: object, analysis: Analysis) -> list[Trace]:
    runs = cast("Sequence[object]", values) if isinstance(values, list | tuple) else [] if values is None else [values]
    for run in runs:
        if not isinstance(run, Trace | str | Path):
            raise InputError(f"{analysis.command} needs another trace to compare with: give {analysis.base}")
    return [run if isinstance(run, Trace) else open(cast("str | Path", run)) for run in runs]


def open(
    path: str | Path, *, dataset: str | Path | None = None, progress: Progress | None = None, lean: bool = False
) -> Trace:
    """Open a trace directory, an OTF2 archive or a dataset. Converts the trace first if it has no up-to-date dataset.

    dataset: the directory of the trace's dataset; by default `dataset` beside its archive. lean: for a long-lived
    process, queries take at most 300 MiB, or 25 B for each row of a larger dataset, and spill to files. If an answer
    needs more, it gets more. Raises InputError.
    """
    check_address_space()
    location = existing(path)
    if dataset is None and is_dataset(location):
        return Trace(location, location, lean=lean)
    # Imported late, because a dataset can be analysed without the native converter.
    from hopscope.dataset.convert import ensure_dataset

    place = None if dataset is None else Path(dataset)
    return Trace(location, ensure_dataset(location, dataset=place, progress=progress), lean=lean)
