"""Notes on an answer about a run or a part of it, in sentences: how certain the iterations are, what the part lacks,
what the answer leaves out, and which limit it depends on."""

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa

from hopscope.errors import InputError
from hopscope.format.quantities import duration, number, plural, share
from hopscope.query.catalog import Analysis, Scalar
from hopscope.query.runner import Runner
from hopscope.selection import WHOLE_RUN, Selection
from hopscope.selection.comparability import matched
from hopscope.vocabulary.words import ONE_TIME_CATEGORIES

_ITERATIONS = (
    "select coalesce(own.place, site) as site, turns, sure, coalesce(other.place, rival_site) as rival, "
    "rival_is_inside, between_least, between_most from iteration_marker "
    "left join places as own on site = own.call_site left join places as other on rival_site = other.call_site"
)

_HOLDS = (
    "select exists(from collectives) as held",
    "select exists(from messages) as held",
    "select exists(from intervals) as held",
    "select exists(from path_stretches where path = 'run') as held",
)
"""Queries that tell if a part of the run has any collectives, messages, intervals or path, the cheapest first."""

_REMEDIES = (
    "select place_remedy(how, module) as remedy, count(distinct place) as number from places "
    "where list_contains($places, place) group by remedy having remedy is not null order by number desc, remedy"
)

_PHASES = (
    ("--from start", "startup_ns", ONE_TIME_CATEGORIES["startup"]),
    ("--to end", "shutdown_ns", ONE_TIME_CATEGORIES["shutdown"]),
)
"""Phases that happen once in a run: the option that includes them, their column in `left_out`, their name."""

_LEAST_TURNS = 5
"""The least number of times that a loop must repeat for the run to have iterations, as in `iteration_candidates`."""

_WORTH_SAYING = 0.001
"""A phase that is left out is reported if it is at least this share of the path."""


class Notes:
    """Makes the notes on answers about one selection of a run."""

    def __init__(self, runner: Runner, selection: Selection, of_run: "Notes | None" = None) -> None:
        """of_run: the notes on the whole run, if they use the same `--iteration-at`; None if this is the whole run."""
        self._runner = runner
        self._selection = selection
        self._of_run = of_run

    @cached_property
    def iterations(self) -> str | None:
        """The run's iterations and their certainty; None if it has none."""
        if self._of_run is not None:
            return self._of_run.iterations
        return next(map(_iterations, self._runner.rows(_ITERATIONS, {})), None)

    @cached_property
    def left_out(self) -> Mapping[str, str]:
        """Phases that answers about the run's critical path leave out, such as `439 ms of start-up (7.8 % of the
        path)`, by the option that includes them."""
        row = self._runner.rows("from left_out", {})[0]
        return {
            option: f"{duration(row[column])} of {name} ({share(row[column] / row['path_ns'])} of the path)"
            for option, column, name in _PHASES
            if row["path_ns"] and row[column] / row["path_ns"] >= _WORTH_SAYING
        }

    @cached_property
    def of_part(self) -> tuple[str, ...]:
        """Notes on the part of the run: how certain its iterations are, and that it has no contents or no
        collective."""
        by_iteration = self._is_by_iteration or self._selection.iteration_at is not None
        sentence = self.iterations if by_iteration else None
        return tuple(filter(None, (sentence, self._lack())))

    def check_contents(self) -> None:
        """Raises InputError if the part of the run is empty."""
        if self._runner.part.is_restricted() and not any(self._holdings):
            raise InputError(self._empty_part())

    def of_answer(
        self, table: pa.Table, analysis: Analysis, parameters: Mapping[str, Scalar], trace: Path
    ) -> tuple[str, ...]:
        """Notes on the rows of an analysis. Raises InputError if its header calls an answer without rows an error."""
        views = {source.name for source in self._runner.prepare(analysis.uses)}
        return (
            *self._without_rows(table, analysis, parameters, trace),
            *matched(table),
            *self.of_part,
            *(() if "iteration_calls" in views else self._without_iterations()),
            *(self._phases() if "run_path" in views else ()),
            *(self._lateness_limit(parameters) if table.num_rows and "lateness_limit" in analysis.uses else ()),
            *(self._missing_iterations(table) if "lateness" in analysis.uses else ()),
            *(self._remedies(table) if "place" in analysis.key and analysis.base is None else ()),
        )

    def _without_rows(
        self, table: pa.Table, analysis: Analysis, parameters: Mapping[str, Scalar], trace: Path
    ) -> tuple[str, ...]:
        if table.num_rows or not analysis.empty or parameters.get("limit") == 0:
            return ()
        location = "" if self._selection == WHOLE_RUN else f"in this part of the run ({self._selection}), "
        sentence = f"{trace}: {location}{analysis.empty}"
        if analysis.empty_is_error:
            raise InputError(sentence)
        return (sentence,)

    @property
    def _is_by_iteration(self) -> bool:
        """True if the selection names an iteration."""
        return any(time and time.startswith("i:") for time in (self._selection.from_, self._selection.to))

    def _without_iterations(self) -> tuple[str, ...]:
        """A note that `--iteration-at` is useless, if no iterations are asked for."""
        place = self._selection.iteration_at
        if place is None or self._is_by_iteration:
            return ()
        return (f"--iteration-at {place} changes nothing here; it is for --from and --to by iteration, as --from i:10",)

    @cached_property
    def _holdings(self) -> tuple[bool, ...]:
        """For each query of `_HOLDS`, up to the first that is true: tells if the part has such contents. A part of one
        communicator keeps all intervals, because they belong to no communicator, so there they do not count."""
        holds: list[bool] = []
        for query in _HOLDS:
            counts = self._selection.comm is None or "intervals" not in query
            holds.append(counts and bool(self._runner.rows(query, {})[0]["held"]))
            if holds[-1]:
                break
        return tuple(holds)

    def _empty_part(self) -> str:
        return (
            f"{self._selection} selects nothing: no call, no message and no stretch of the run's critical path matches "
            "all these options; leave out an option or include more of the run"
        )

    def _lack(self) -> str | None:
        """A sentence if the part has no contents, or no collective though the run has some; else None."""
        if not self._runner.part.is_restricted() or not self._runner.number_of_rows("collectives"):
            return None
        if not any(self._holdings):
            return self._empty_part()
        # `--operation` and `--place` select calls of any kind, so collectives need not be among them.
        if self._holdings[0] or self._selection.operation is not None or self._selection.place is not None:
            return None
        return "no collective lies in this part of the run"

    def _phases(self) -> tuple[str, ...]:
        phases = self.left_out
        return (f"left out: {' and '.join(phases.values())}. {' '.join(phases)} includes it",) if phases else ()

    def _lateness_limit(self, parameters: Mapping[str, Scalar]) -> tuple[str, ...]:
        """A note on the limit from which a rank counts as late."""
        least_ms = parameters["least_ms"]
        if least_ms is not None:
            least = duration(float(least_ms) * 1e6)
            return (f"a rank is late if it computed {least} longer than the faster members (--least-ms)",)
        row = self._runner.rows("from lateness_limit", {})[0]
        whole = "the median iteration" if row["is_iteration"] else "the median time between collectives"
        if row["is_iteration"] and row["collectives"] > 1:
            whole += f" per collective, of which it has {number(row['collectives'])}"
        return (
            f"a rank is late if it computed {duration(row['limit_ns'])} longer than the faster members: 5 % of "
            f"{whole}; --least-ms sets another limit",
        )

    def _missing_iterations(self, table: pa.Table) -> tuple[str, ...]:
        """A note that says why an answer has no iterations."""
        if table.num_rows and ("iterations" not in table.column_names or any(table["iterations"].to_pylist())):
            return ()
        counts = self._runner.rows("from loop_counts", {})[0]
        if counts["iterations"]:
            return ("no iteration of the run ends in this part of it",)
        if not counts["most_calls"]:
            return ("the run has no iterations: its first rank calls MPI only to begin and to end",)
        if counts["most_calls"] < _LEAST_TURNS:
            reason = f"no MPI call repeats {_LEAST_TURNS} times or more"
        else:
            reason = "no sequence of MPI calls repeats through half of the time in which calls repeat"
        loop_advice = "if it has a loop, name a call of each iteration with --iteration-at"
        return (f"the run has no iterations: {reason}; {loop_advice}",)

    def _remedies(self, table: pa.Table) -> tuple[str, ...]:
        """Advice on how to get the missing functions and source lines of places, a sentence for each remedy."""
        places = table["place"].to_pylist()
        return tuple(
            f"{row['number']} of {plural(len(places), 'place')} {'has' if row['number'] == 1 else 'have'} no source "
            f"line: {row['remedy']}"
            for row in self._runner.rows(_REMEDIES, {"places": places})
        )


def _iterations(row: Mapping[str, Any]) -> str:
    summary = f"{plural(row['turns'], 'iteration')}, each with one turn at {row['site']}; {share(row['sure'])} of them "
    if row["rival"] is None:
        return f"{summary}make the same calls"
    low, high = row["between_least"], row["between_most"]
    turns = str(high) if low == high else f"{low} to {high}"
    cadence = f"every {high} of them" if low == high else f"{turns} of them"
    if row["rival_is_inside"]:
        return (
            f"{summary}make calls at the same places, each with {turns} turns of a loop at {row['rival']}; if those "
            "are the iterations, choose it with --iteration-at"
        )
    return (
        f"{summary}make the same calls; {row['rival']} comes only after {cadence}; if it is what each "
        "iteration calls once, choose it with --iteration-at"
    )
