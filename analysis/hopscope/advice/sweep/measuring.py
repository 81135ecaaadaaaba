"""Measures a sweep in passes. A pass runs one job for each column of methods, but skips surely slower methods."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from hopscope.advice.sweep.engine import with_engine
from hopscope.advice.sweep.grid import Point
from hopscope.advice.sweep.layout import Layout, layout_of
from hopscope.advice.sweep.measured import Sweep, deviation, fastest_time
from hopscope.advice.sweep.methods import DEFAULT, Method, columns_of, forced
from hopscope.errors import InputError
from hopscope.format.quantities import duration, plural
from hopscope.machine.probe.session import Machine, running
from hopscope.mpi_libraries.offered import Library

PASSES: Final = (3, 7, 10)
"""Repeats of a method at a point in each pass: 20 in all."""
SURELY_SLOWER: Final = 2.0
"""A method that takes longer than this multiple of the best method's time is not measured again."""
MOST_DEVIATION: Final = 0.05
_USUAL_REPEATS: Final = 10
REFINING: Final = 10
"""Repeats that a refinement adds."""
PROBED_SHARE: Final = 0.1
"""Share of the budget that a probe of the machine's parameters gets."""

Start = Callable[[Sequence[str], Mapping[str, str]], tuple[Sequence[str], Mapping[str, str]]]
"""Wraps a command and its variables so that it starts on the user's hosts."""


@dataclass(frozen=True)
class Request:
    """The means of a measurement. words: the launcher with the probe's program. collector: the collector for this
    library, such as `openmpi-5`. folder: a directory for jobs' files that all hosts see. deadline: a time of
    time.monotonic(). say: prints a line about the progress. keep: called after each job, to save the times."""

    library: Library
    words: Sequence[str]
    collector: str
    folder: Path
    start: Start
    deadline: float
    say: Callable[[str], None]
    keep: Callable[[], None]


@dataclass(frozen=True)
class _Pass:
    """One pass over the columns. is_selected: returns True if a method has to be measured at a point. repeats: the
    number of times that it measures such a method."""

    name: str
    repeats: int
    is_selected: Callable[[Point, Method | None], bool]


def parameters(job: Machine, seconds: float, origin: dict[str, Any], most_bytes: int) -> dict[str, Any]:
    """The content of a machine file, from a probe of the machine that a job runs on. most_bytes: the sweep's longest
    message. The probe uses its own SIZES, up to the first one that is most_bytes or more."""
    from hopscope.machine.probe import Budget, Prober, machine_content  # late, because it imports scipy
    from hopscope.machine.probe.measuring import SIZES

    longest = min((size for size in SIZES if size >= max(2, most_bytes)), default=max(SIZES))
    measured = Prober(job, Budget(seconds), sizes=[size for size in SIZES if size <= longest]).run()
    facts = {"library": job.library, "ranks": len(job.hosts), "seconds": seconds}
    return machine_content(measured, {**origin, **facts})


def measure(sweep: Sweep, points: Sequence[Point], request: Request) -> bool:
    """Measure methods in passes; skip those with enough times. Returns True if the budget was enough."""
    layout = layout_of(sweep.made["hosts"], sweep.machine)
    for number, repeats in enumerate(PASSES, 1):
        total = sum(PASSES[:number])

        def is_missing(point: Point, method: Method | None, total: int = total) -> bool:
            return needs_measuring(sweep, point, method, total) and _runs(layout, point, method)

        if not _measure(sweep, points, request, _Pass(f"pass {number} of {len(PASSES)}", repeats, is_missing)):
            return False
    return True


def refine(sweep: Sweep, targets: Mapping[Point, Collection[str]], request: Request) -> bool:
    """Measure the methods at these points REFINING times more. Returns True if the budget was enough."""

    def is_doubtful(point: Point, method: Method | None) -> bool:
        return method is not None and method.name in targets[point]

    return _measure(sweep, list(targets), request, _Pass("refining", REFINING, is_doubtful))


def _measure(sweep: Sweep, points: Sequence[Point], request: Request, sweep_pass: _Pass) -> bool:
    """Run one job for each column that has something to measure in this pass. Returns True if the budget was enough."""
    columns = columns_of(sweep.methods)
    ranks = max((point.ranks for point in points), default=0)
    for number, column in enumerate(columns, 1):
        todo = [point for point in points if sweep_pass.is_selected(point, column.get(point.operation))]
        if not todo:
            continue
        left = request.deadline - time.monotonic()
        if left <= 0:
            return False
        job = f"job {number} of {len(columns)}"
        request.say(f"{sweep_pass.name}, {job}: {plural(len(todo), 'point')}, {duration(left * 1e9)} left")
        with tempfile.TemporaryDirectory(prefix=".hopscope-sweep-", dir=request.folder) as name:
            folder = Path(name)
            folder.chmod(0o755)
            if any(method.rule is not None for method in column.values()):
                command, variables = with_engine(request.words, column, request.collector, sweep.machine, folder)
            else:
                command, variables = forced(request.words, column, request.library, ranks, folder)
            try:
                with running(*request.start(command, variables)) as machine:
                    for point in todo:
                        if time.monotonic() > request.deadline:
                            break
                        sweep.add(point, column[point.operation].name, _times(machine, point, sweep_pass.repeats))
            except InputError as problem:
                methods = ", ".join(f"{operation} {method.name}" for operation, method in column.items())
                request.say(f"note: a job ended early, and not all of {methods} was measured: {problem}")
        request.keep()
    return True


def needs_measuring(sweep: Sweep, point: Point, method: Method | None, total: int) -> bool:
    """True if a pass has to measure a method at a point. total: the number of times that the method should have after
    this pass."""
    if method is None or not method.concerns(point):
        return False
    samples = sweep.times_at(point)
    times = samples.get(method.name, [])
    if len(times) >= total:
        return False
    if not times:
        return total == PASSES[0]
    if fastest_time(times) > SURELY_SLOWER * min(map(fastest_time, samples.values())) and method.name != DEFAULT:
        return False
    return len(times) < _USUAL_REPEATS or deviation(times) > MOST_DEVIATION


def _runs(layout: Layout, point: Point, method: Method | None) -> bool:
    """Tells if a method runs at a point. It does not if the engine would leave the call to the library."""
    if method is None or method.rule is None:
        return True
    return layout.schedules(point, method.rule, method.trees) is not None


def _times(machine: Machine, point: Point, repeats: int) -> list[float]:
    peers = ",".join(str(rank) for rank in range(1, point.ranks))
    return machine.measure("collective", point.bytes, repeats, point.operation, f"0:{peers}").get(0, [])
