"""Judges candidate trees by replaying the run, and suggests one if it gains more than the model errs."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from hopscope import _paths
from hopscope.errors import InputError
from hopscope.model.costs import Costs, HostPair
from hopscope.model.trees import ROOT, Tree, explicit
from hopscope.paths.columns import Array, integers
from hopscope.remap.candidates import Candidate, make, shapes
from hopscope.remap.events import events_of
from hopscope.remap.fit import fit
from hopscope.remap.program import Source, Subject, program_of, source_of
from hopscope.remap.recorded import Recorded
from hopscope.remap.search import search as local_search
from hopscope.remap.today import today_of
from hopscope.remap.tree_file import text_of, tree_file_of
from hopscope.remap.tried import tried_of, with_engine
from hopscope.remap.verdict import LIBRARY, judge, sentence_of, unknown_of
from hopscope.whole_file import whole_file

SEARCH_WINDOW = 15
"""Iterations that the local search replays; predictions are of the whole run."""
PERTURBED = ((1.3, 0.8), (0.8, 1.2))
"""The search judges a tree on the fitted machine and on ones whose latencies and interfaces differ by these factors, so
that it does not find trees that are fast only if every message keeps its turn."""
SPREAD_WINDOW = 100
"""Iterations from which the spread of a prediction is taken."""
LEAST_ALIKE, MOST_ALIKE = 0.01, 0.05
"""Predictions closer than the model's error, kept within these shares, are taken to be equal."""
MOST_LATE = 0.1
"""Where more of the library's messages wait for their receives, its costs do not tell how the engine would do."""
SEGMENTS = (1 << 14, 1 << 16, 1 << 18)

NO_TREES = Candidate("", explicit(Tree((ROOT,), ((),))), explicit(Tree((ROOT,), ((),))), 0, ()).arrays()

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
        ("chosen", pa.bool_()),
    ]
)


@dataclass(frozen=True)
class Judge:
    """Replays one program over candidates; rows: of the collectives in it.

    messages: whether the application's messages are dependencies in it, or its waiting for them computing. The message
    graph that the MPI library ran is replayed too, in the place of a candidate.
    """

    program: dict[str, Array]
    rows: Array
    subject: Subject
    host_clusters: tuple[int, ...]
    messages: bool = True
    # By identity; the objects are kept, so that no other one gets their place.
    known: dict[tuple[int, int], tuple[float, Candidate | Recorded, Costs]] = field(
        default_factory=dict[tuple[int, int], tuple[float, Candidate | Recorded, Costs]]
    )

    def replay(self, candidate: Candidate | Recorded, costs: Costs) -> tuple[Array, bool]:
        """The last leave of every collective, and whether every rank came to its end."""
        arrays = costs.arrays(self.host_clusters)
        if isinstance(candidate, Recorded):
            program, trees = candidate.program(self.program, self.rows, costs, arrays), NO_TREES
        else:
            program, trees = self.program, candidate.arrays()
        _, leave, finished = _paths.replay(program, trees, arrays)
        return leave, finished

    def iteration_ns(self, candidate: Candidate | Recorded, costs: Costs) -> float:
        """Mean time from one collective of the subject to the next, by their last leaves."""
        key = id(candidate), id(costs)
        if key in self.known:
            return self.known[key][0]
        leave, finished = self.replay(candidate, costs)
        if not finished:
            raise InputError(
                "the run cannot be replayed: some ranks wait for one another, which means that the trace lacks calls "
                "or messages; `analyze check-data` lists them"
            )
        time = mean_iteration(leave[np.isin(self.rows, self.subject.collectives)])
        self.known[key] = time, candidate, costs
        return time


def mean_iteration(leaves: Array) -> float:
    """Mean distance of successive last leaves; the first collective, which may set things up, is only the start."""
    ordered = np.sort(leaves)
    return float(ordered[-1] - ordered[0]) / (len(ordered) - 1)


def suggest(
    table: Callable[[str], pa.Table],
    output: Path | None,
    tries: int,
    run_over_tree: Callable[[str], pa.Table] | None = None,
) -> pa.Table:
    """See `hopscope.remap.remap`."""
    source = _source(table)
    tables, subject = source.tables, source.subject
    events = events_of(source) if subject.native else None
    fitted = fit(source, events)
    today = today_of(source) if events is None else Recorded(events)
    tried = tried_of(run_over_tree, source) if run_over_tree else None
    whole = _whole(source, today, fitted[0])
    measured = mean_iteration(integers(tables["collectives"], "last_leave_ns")[subject.collectives])
    replayed = whole.iteration_ns(today, fitted[0])
    error = abs(replayed - measured) / measured
    # What runs over a tree: on the machine as the engine measured it, where it did.
    engine, over = fitted, [] if isinstance(today, Recorded) else [today]
    if tried is not None:
        engine, over = tuple(map(with_engine, fitted, tried.costs)), [tried.candidate]
        error = max(error, abs(whole.iteration_ns(tried.candidate, engine[0]) - tried.time_ns) / tried.time_ns)
    alike = min(MOST_ALIKE, max(LEAST_ALIKE, error))
    candidates = _candidates(source, whole, over, engine[0], tries=tries, alike=alike)
    if tried is not None:
        candidates.append(tried.candidate)
    part = _window(source, whole, SPREAD_WINDOW)
    rows: list[dict[str, Any]] = []
    unmeasured: dict[str, list[HostPair]] = {}
    for candidate in (today, *candidates):
        costs, low, high = fitted if candidate is today else engine
        unmeasured[candidate.name] = sorted(candidate.host_pairs(subject) - costs.measured)
        is_tried = tried is not None and candidate is tried.candidate
        predicted = whole.iteration_ns(candidate, costs)
        ends = [part.iteration_ns(candidate, end) / part.iteration_ns(candidate, costs) for end in (low, costs, high)]
        rows.append(
            {
                "name": candidate.name,
                "today": candidate is today,
                "predicted_ns": predicted,
                "predicted_low_ns": predicted * min(ends),
                "predicted_high_ns": predicted * max(ends),
                "measured_ns": measured,
                "gain": 1 - predicted / replayed,
                "model_error": error,
                "tried_ns": tried.time_ns if tried and is_tried else None,
                "tried_gain": tried.gain if tried and is_tried else None,
                **candidate.structure(subject),
                "unmeasured_pairs": len(unmeasured[candidate.name]),
                "chosen": False,
            }
        )
    late = today.late if isinstance(today, Recorded) and tried is None else 0.0
    order = judge(rows, alike, tried_gains=tried is not None and tried.gains, is_known=late <= MOST_LATE)
    best = (today, *candidates)[order[0]]
    ordered = [rows[i] for i in order]
    result = pa.Table.from_pylist(ordered, schema=SCHEMA)
    ran = LIBRARY if subject.native else "today's tree"
    said = sentence_of(ordered, subject.op, unmeasured, source.places.hosts, ran=ran, tried=tried)
    if late > MOST_LATE:
        said = unknown_of(subject.op, late)
    if fitted[0].machine.has_traces:
        said += " Every prediction takes the emulated traces' means, not their turns."
    metadata = {b"sentence": said.encode(), b"ran": b"native" if subject.native else b"tree"}
    if isinstance(best, Candidate):
        metadata[b"parents"] = json.dumps({"comm": subject.comm, **best.drawing()}).encode()
    if isinstance(best, Candidate) and rows[order[0]]["chosen"]:
        if tried is not None and best is tried.candidate:
            best = replace(best, name=tried.tree)
        text = text_of(tree_file_of(best, subject, tables["run"]["tree_file"].to_pylist()[0]))
        metadata[b"tree"] = text.encode()
        if output is not None:
            with whole_file(Path(output)) as file:
                file.write(text.encode())
    return result.replace_schema_metadata(metadata)


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


def _same(a: Candidate, b: Candidate) -> bool:
    """The same edges, in whatever order children are served."""

    def edges(candidate: Candidate) -> list[tuple[int, ...]]:
        return [tree.parents for plan in candidate.plans for tree in plan]

    return (edges(a), a.segment_bytes) == (edges(b), b.segment_bytes)


def _perturbed(costs: Costs, latency: float, interface: float) -> Costs:
    """The same machine, off by these factors."""
    links = {name: replace(link, latency_ns=link.latency_ns * latency) for name, link in costs.links.items()}
    return replace(costs, links=links, interface_message_ns=costs.interface_message_ns * interface)


def _whole(source: Source, today: Candidate | Recorded, costs: Costs) -> Judge:
    """A judge of the whole run; without its messages where these cannot be replayed (matched wrongly, wrong clocks)."""
    for messages in (True, False):
        program, rows = program_of(source, messages=messages)
        judge = Judge(program, rows, source.subject, source.places.cluster_of_host, messages)
        if messages and judge.replay(today, costs)[1]:
            break
    return judge


def _window(source: Source, whole: Judge, iterations: int) -> Judge:
    """A judge of the first so many iterations, the very first left out; the whole run where it is not longer."""
    collectives = source.subject.collectives
    if len(collectives) <= iterations + 2:
        return whole
    window = (int(collectives[1]), int(collectives[1 + iterations]))
    program, rows = program_of(source, window, messages=whole.messages)
    return Judge(program, rows, source.subject, source.places.cluster_of_host, whole.messages)


def _candidates(
    source: Source, whole: Judge, over: Sequence[Candidate], costs: Costs, *, tries: int, alike: float
) -> list[Candidate]:
    """Known shapes, segmented ones where messages are large and their cost per byte is known, and the search's own.

    Where the best of all uses pairs of hosts that no hop measured, the search also looks for a tree without such pairs.
    alike: a tree of the search is kept only if it is better than every shape by this share, for shapes are easier to
    read. over: trees that ran.
    """
    subject = source.subject
    known = list(shapes(subject))
    time = {candidate.name: whole.iteration_ns(candidate, costs) for candidate in known}
    known.sort(key=lambda candidate: time[candidate.name])
    size = int(integers(source.tables["collectives"], "bytes")[subject.simulated].max())
    if costs.machine.bytes_matter or any(link.per_byte_ns > 0 for link in costs.links.values()):
        for cut in SEGMENTS:
            if 2 * cut <= size:
                known += [make(subject, c.reduce, c.broadcast, cut) for c in known[:5] if c.segment_bytes == 0]
                chains = [c for c in known if c.name == "chain" and c not in known[:5]]
                known += [make(subject, c.reduce, c.broadcast, cut) for c in chains]
    time |= {c.name: whole.iteration_ns(c, costs) for c in known if c.name not in time}
    known.sort(key=lambda candidate: time[candidate.name])
    judge = _window(source, whole, SEARCH_WINDOW)
    machines = [costs, *(_perturbed(costs, *factors) for factors in PERTURBED)]

    def time_of(candidate: Candidate) -> float:
        return sum(judge.iteration_ns(candidate, machine) for machine in machines)

    def is_measured(candidate: Candidate) -> bool:
        return candidate.host_pairs(subject) <= costs.measured

    def time_if_measured(candidate: Candidate) -> float:
        return time_of(candidate) if is_measured(candidate) else math.inf

    def kept(found: Candidate | None, shapes: Sequence[Candidate]) -> list[Candidate]:
        fastest = min((time[candidate.name] for candidate in shapes), default=math.inf)
        return [found] if found and whole.iteration_ns(found, costs) < (1 - alike) * fastest else []

    searched = kept(local_search(subject, known[:3], time_of, tries), known)
    if not is_measured((searched or known)[0]):
        time |= {ran.name: whole.iteration_ns(ran, costs) for ran in over}
        starts = [candidate for candidate in (*over, *known) if is_measured(candidate)]
        found = kept(local_search(subject, starts[:3], time_if_measured, tries), starts)
        searched += [replace(candidate, name="search over measured pairs") for candidate in found]
    return [*searched, *(c for c in known if not any(_same(c, ran) for ran in over))]
