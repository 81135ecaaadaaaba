"""Judges candidate trees by replaying the run, and suggests one if it gains more than the model errs."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from hopscope.errors import InputError
from hopscope.model.costs import Costs
from hopscope.paths.columns import integers
from hopscope.remap.candidates import Candidate
from hopscope.remap.events import events_of
from hopscope.remap.fit import fit
from hopscope.remap.guesses import missing_of
from hopscope.remap.judging import Judge, judge_of, mean_iteration, screen_of, window_of
from hopscope.remap.listing import Listing
from hopscope.remap.pool import pool_of
from hopscope.remap.probed import with_machine
from hopscope.remap.program import Source, source_of
from hopscope.remap.recorded import Recorded
from hopscope.remap.spread import Spread, spread_of
from hopscope.remap.today import today_of
from hopscope.remap.tree_file import text_of, tree_file_of
from hopscope.remap.tried import tried_of, with_engine
from hopscope.remap.verdict import LIBRARY, left_out_of, sentence_of, unknown_of

SPREAD_WINDOW = 100
"""Iterations from which the spread of a prediction is taken."""
LEAST_ALIKE, MOST_ALIKE = 0.01, 0.05
"""Predictions closer than the model's error, kept within these shares, are taken to be equal."""
MOST_LATE = 0.1
"""Where more of the library's messages wait for their receives, its costs do not tell how the engine would do."""

SCHEMA = pa.schema(
    [
        ("name", pa.string()),
        ("today", pa.bool_()),
        ("predicted_ns", pa.float64()),
        ("predicted_low_ns", pa.float64()),
        ("predicted_high_ns", pa.float64()),
        ("measured_ns", pa.float64()),
        ("gain", pa.float64()),
        ("model_error", pa.float64()),
        ("tried_ns", pa.float64()),
        ("tried_gain", pa.float64()),
        ("depth", pa.int32()),
        ("fan_out", pa.int32()),
        ("wan_crossings", pa.int32()),
        ("wan_messages", pa.int32()),
        ("unmeasured_pairs", pa.int32()),
        ("unmeasured_interfaces", pa.int32()),
        ("chosen", pa.bool_()),
    ]
)


@dataclass(frozen=True)
class Basis:
    """A run that candidates are judged against: what its messages cost, what ran, and how well the replay has that."""

    source: Source
    fitted: tuple[Costs, Costs, Costs]  # as `fit` gives them
    today: Candidate | Recorded
    whole: Judge
    measured_ns: float
    error: float
    spread: Spread

    @property
    def late(self) -> float:
        """The share of the library's messages that waited for their receives."""
        return self.today.late if isinstance(self.today, Recorded) else 0.0


def basis_of(table: Callable[[str], pa.Table], machine: Mapping[str, Any] | None = None) -> Basis:
    """machine: the content of a machine file. Raises InputError where no prediction could be made of the run."""
    source = _source(table)
    subject = source.subject
    events = events_of(source) if subject.native else None
    fitted = fit(source, events)
    if machine is not None:
        fitted = with_machine(fitted, source, machine)
    today = today_of(source) if events is None else Recorded(events)
    whole = judge_of(source, today, fitted[0])
    leaves = integers(source.tables["collectives"], "last_leave_ns")[subject.collectives]
    measured = mean_iteration(leaves)
    error = abs(whole.iteration_ns(today, fitted[0]) - measured) / measured
    spread = spread_of(leaves, whole.leaves(today, fitted[0]))
    return Basis(source, fitted, today, whole, measured, error, spread)


def alike_of(error: float) -> float:
    """The share by which predictions may differ and count as equal, from the model's error."""
    return min(MOST_ALIKE, max(LEAST_ALIKE, error))


def suggest(
    table: Callable[[str], pa.Table],
    tries: int,
    run_over_tree: Callable[[str], pa.Table] | None = None,
    only: Collection[str] | None = None,
    *,
    machine: Mapping[str, Any] | None = None,
) -> pa.Table:
    """See `hopscope.remap.remap`, which writes the tree file."""
    basis = basis_of(table, machine)
    source, fitted, today, whole, error = basis.source, basis.fitted, basis.today, basis.whole, basis.error
    subject = source.subject
    tried = tried_of(run_over_tree, source) if run_over_tree else None
    # What runs over a tree: on the machine as the engine measured it, where it did.
    engine, over = fitted, [] if isinstance(today, Recorded) else [today]
    if tried is not None:
        typical, low, high = map(with_engine, fitted, tried.costs)
        engine, over = (typical, low, high), [tried.candidate]
        error = max(error, abs(whole.iteration_ns(tried.candidate, engine[0]) - tried.time_ns) / tried.time_ns)
    alike = alike_of(error)
    screen = screen_of(source, whole, today, fitted[0])
    pool = pool_of(source, screen, over, engine[0], tries=tries, alike=alike, only=only)
    candidates = [*pool.candidates, *([tried.candidate] if tried else [])]
    late = basis.late if tried is None else 0.0
    listing = Listing(
        source,
        screen,
        window_of(source, whole, SPREAD_WINDOW),
        today,
        candidates,
        fitted,
        engine,
        basis.measured_ns,
        error,
        basis.spread,
        tried,
    )
    rows, order, guessed = listing.judged(alike, is_known=late <= MOST_LATE)
    best = (today, *candidates)[order[0]]
    ordered = [rows[i] for i in order]
    result = pa.Table.from_pylist(ordered, schema=SCHEMA)
    ran = LIBRARY if subject.native else "today's tree"
    said = sentence_of(ordered, subject.op, guessed, source.places.hosts, ran=ran, tried=tried)
    if late > MOST_LATE:
        said = unknown_of(subject.op, late)
    if pool.left_out:
        said += " " + left_out_of(engine[0])
    said += "".join(f" {op} is left out: {why}." for op, why in subject.untold)
    if fitted[0].machine.has_traces:
        said += " Every prediction takes the emulated traces' means, not their turns."
    if tried is not None and best is tried.candidate:
        best = replace(best, name=tried.tree)
    metadata = {b"sentence": said.encode(), b"ran": b"native" if subject.native else b"tree"}
    metadata[b"missing"] = json.dumps(missing_of(rows, guessed, source.places)).encode()
    metadata |= _of_best(best, source, is_chosen=rows[order[0]]["chosen"])
    return result.replace_schema_metadata(metadata)


def _of_best(best: Candidate | Recorded, source: Source, *, is_chosen: bool) -> dict[bytes, bytes]:
    """The first row's trees, and the tree file if it is suggested."""
    if isinstance(best, Recorded):
        return {}
    found: dict[bytes, bytes] = {}
    drawing = best.drawing(source.subject)
    if drawing:
        found[b"parents"] = json.dumps({"comm": source.subject.comm, **drawing}).encode()
    if is_chosen:
        ran = source.tables["run"]["tree_file"].to_pylist()[0]
        found[b"tree"] = text_of(tree_file_of(best, source, ran)).encode()
    return found


def _source(table: Callable[[str], pa.Table]) -> Source:
    """The run. Raises InputError where no prediction could be made of it."""
    source = source_of(table)
    subject = source.subject
    if len(subject.collectives) < 2:
        raise InputError(
            f"{subject.op} ran only once with all its hops, but an iteration reaches from one call to the next; remap "
            "a longer run"
        )
    if subject.native and source.tables["run"]["emulated"].to_pylist()[0]:
        raise InputError(
            "the run emulated links, which do not delay the MPI library's own messages, so its hops say nothing of the "
            "emulated machine; run the program again with `hopscope run --tree binomial -- ...` and remap that trace"
        )
    return source
