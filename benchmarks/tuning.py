"""Compares `hopscope tune` with an exhaustive trial, and tests it with candidates that all repeat the baseline.

python benchmarks/run.py tune
python benchmarks/tuning.py [--seeds 1-12] [--budget 5m] [--alike 10]

The trial is on random networks of namespaces, from seeds. Figures stay in build/tuning/, so that the benchmark can be
done in parts, and can go on after Ctrl-C.
"""

from __future__ import annotations

import argparse
import json
import math
import shutil
import statistics
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import hopscope
from hopscope.advice.tune import start
from hopscope.advice.tune.bench import Bench, figure_of
from hopscope.advice.tune.budget import Budget, seconds_of
from hopscope.advice.tune.candidate import BASELINE, Candidate
from hopscope.advice.tune.decision import Pair, gain_of
from hopscope.advice.tune.journal import FILE, Journal, read
from hopscope.advice.tune.pool import MOST_CANDIDATES, Recorded, all_candidates
from hopscope.advice.tune.session import RECORDED
from hopscope.errors import InputError
from hopscope.launch.network import read_network
from hopscope.launch.network.kept import staying
from measure import PROGRAMS, ROOT, local_mpi
from random_cases import Case, random_case
from rich.console import Console
from rich.table import Table
from scipy.stats import ttest_ind

FOLDER: Final = ROOT / "build" / "tuning"
ITERATIONS, LONG_ITERATIONS = 31, 15
"""Iterations of a run: the first number, or the second if messages are long."""
LONG: Final = 262_144
PAIRS: Final = 6
"""Number of fresh runs of the baseline, of the choice and of the best candidate."""
FINALISTS: Final = 3
ALIKE: Final = 0.05
"""A choice this close to the best counts as the best."""
_NO_LIMIT: Final = Budget(None, 1 << 30)
console = Console(highlight=False, soft_wrap=True)


@dataclass(frozen=True)
class Outcome:
    """Results on one network. Gains are shares of the baseline's time, with the ends of a 95 % interval."""

    seed: int
    words: str
    library: str
    spent_s: float
    chosen: str | None
    stated: tuple[float, float, float] | None
    """Gain that the tuning stated, with its interval; None if it chose nothing."""
    fresh: tuple[float, float, float]
    difference: tuple[float, float] | None
    """Interval of the difference between the stated gain and the gain in fresh runs, as log ratios."""
    tried: int
    best: str
    behind: float
    """The choice's excess over the best of the trial, as a share."""

    @property
    def is_good(self) -> bool:
        """Tells whether the choice is as good as the best."""
        return self.behind <= ALIKE

    @property
    def is_slower(self) -> bool:
        """Tells whether the choice is certainly slower than the baseline."""
        return self.fresh[2] < 0

    @property
    def agrees(self) -> bool:
        """Tells whether the stated and the fresh gain may be equal."""
        return self.difference is None or self.difference[0] <= 0 <= self.difference[1]


def outcome_of(seed: int, budget: str) -> Outcome:
    """The kept outcome of a seed, or a new one. Raises InputError where the network or its baseline cannot run."""
    folder = FOLDER / str(seed)
    file = folder / "outcome.json"
    if file.is_file():
        return Outcome(**{name: _tuple(value) for name, value in json.loads(file.read_text()).items()})
    folder.mkdir(parents=True, exist_ok=True)
    case, mpi = random_case(seed), _library(seed)
    request = _request(case, mpi, folder, budget)
    with staying(read_network(Path(request["net"]))):
        journal = _tuned(folder / "tuned", request)
        outcome = _evaluation(seed, case.words, mpi.release, journal, folder / "trial")
    file.write_text(json.dumps(asdict(outcome), indent=1) + "\n")
    return outcome


def is_left_alone(seed: int, budget: str) -> bool:
    """Tells whether a tuning keeps the baseline if all its candidates repeat the baseline, on a seed's network."""
    folder = FOLDER / f"alike-{seed}"
    folder.mkdir(parents=True, exist_ok=True)
    request = _request(random_case(seed), _library(seed), folder, budget)
    tuned = folder / "tuned"
    if not (tuned / FILE).is_file():
        shutil.rmtree(tuned, ignore_errors=True)
        tuned.mkdir()
        alike = [
            Candidate(f"nothing {number}", "parameter", variables={"NOTHING": "1"}) for number in range(MOST_CANDIDATES)
        ]
        decisions = {"candidates": [candidate.name for candidate in alike]}
        Journal(tuned, request, candidates=alike, decisions=decisions).write()
    with staying(read_network(Path(request["net"]))):
        result = _tuned(tuned, request).result
    assert result is not None
    return result["candidate"] is None


def _library(seed: int) -> local_mpi.LocalMpi:
    """The MPI library for a seed: Open MPI 5 and 4 in turn."""
    libraries = {mpi.release: mpi for mpi in local_mpi.find_all()}
    return libraries.get(("openmpi-5", "openmpi-4")[seed % 2]) or local_mpi.find()[0]


def _request(case: Case, mpi: local_mpi.LocalMpi, folder: Path, budget: str) -> dict[str, Any]:
    """The request for a tuning of the case's program on its network. folder: gets the topology file."""
    topology, _ = case.write(folder, network=True)
    is_long = max(size for _, size in case.calls) >= LONG
    words = [*mpi.launch(len(case.host_of)), str(mpi.compile(PROGRAMS / "mix.c"))]
    words += [str(LONG_ITERATIONS if is_long else ITERATIONS), str(case.work_us)]
    words += [word for operation, size in case.calls for word in (operation, str(size))]
    defaults = dict.fromkeys(("short", "check", "metric", "iterations", "runs", "machine"))
    whole = {"words": words, "net": str(topology), "budget_s": seconds_of(budget)}
    return {**whole, **defaults, "maximize": False, "engine": False}


def _tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _tuned(folder: Path, request: dict[str, Any]) -> Journal:
    resume = (folder / FILE).is_file()
    if not resume:
        shutil.rmtree(folder, ignore_errors=True)
    start.tuned(folder, [] if resume else request["words"], request, hopscope.open, _say, resume=resume)
    return read(folder)


def _say(text: str) -> None:
    console.print(f"  {text}", markup=False, style="dim")


def _evaluation(seed: int, words: str, library: str, tuned: Journal, folder: Path) -> Outcome:
    """Measures every candidate once and the fastest three times; then compares the best, the choice and the baseline in
    fresh runs."""
    folder.mkdir(exist_ok=True)
    trial = read(folder) if (folder / FILE).is_file() else Journal(folder, tuned.request, tuned.target)
    trial.baseline = dict(tuned.baseline)
    bench = Bench(start.job_of(tuned, hopscope.open), trial, _NO_LIMIT)
    trace = bench.recorded(tuned.folder / RECORDED).trace
    result = tuned.result
    assert result is not None
    choice = next((candidate for candidate in tuned.candidates if candidate.name == result["candidate"]), BASELINE)
    candidates = all_candidates(Recorded(trace, bench.job.words, on_network=True))[0]
    candidates = list(
        {candidate.name: candidate for candidate in (*candidates, choice) if candidate is not BASELINE}.values()
    )
    trial.with_candidates(lambda: candidates)
    best = _best(bench, candidates)
    figures = _fresh(bench, [best, choice])
    fresh = list(zip(figures[BASELINE.name], figures[choice.name], strict=True))
    pairs = zip(figures[best.name], figures[choice.name], strict=True)
    gain = gain_of(fresh)
    stated = tuple(result[name] for name in ("gain", "gain_low", "gain_high")) if result["candidate"] else None
    return Outcome(
        seed,
        words,
        library,
        tuned.spent_s,
        result["candidate"],
        stated,
        (gain.gain, gain.low, gain.high),
        _difference(_confirming(tuned), fresh) if result["candidate"] else None,
        len(candidates),
        best.name,
        max(0.0, statistics.geometric_mean(choice_ns / best_ns for best_ns, choice_ns in pairs) - 1),
    )


def _best(bench: Bench, candidates: list[Candidate]) -> Candidate:
    """The fastest of the candidates and the baseline. Each runs once, and the fastest candidates twice more."""
    _say(f"trial of {len(candidates)} candidates")
    by_name = {candidate.name: candidate for candidate in (BASELINE, *candidates)}
    figures: dict[str, list[float]] = {}
    left = candidates
    for number in range(3):
        baseline, runs = bench.block("elimination", number, left)
        for name, run in {BASELINE.name: baseline, **runs}.items():
            figures.setdefault(name, []).extend([] if run.figure is None else [run.figure])
        if number == 0:
            finishers = [candidate for candidate in candidates if figures[candidate.name]]
            left = sorted(finishers, key=lambda candidate: figures[candidate.name][0])[:FINALISTS]
    names = [BASELINE.name, *(candidate.name for candidate in left)]
    return by_name[min(names, key=lambda name: statistics.median(figures[name]))]


def _fresh(bench: Bench, candidates: Sequence[Candidate]) -> dict[str, list[float]]:
    """Fresh figures of the baseline and of candidates, by name."""
    candidates_by_name = {candidate.name: candidate for candidate in candidates if candidate is not BASELINE}
    figures: dict[str, list[float]] = {}
    for number in range(PAIRS):
        baseline, runs = bench.block("verification", number, list(candidates_by_name.values()))
        for name, run in {BASELINE.name: baseline, **runs}.items():
            figures.setdefault(name, []).append(figure_of(run))
    return figures


def _confirming(tuned: Journal) -> list[Pair]:
    """The pairs of runs that confirmed the choice."""
    assert tuned.result is not None
    runs: dict[int, dict[str, float]] = {}
    for measurement in tuned.measurements:
        if measurement.phase == "confirmation":
            runs.setdefault(measurement.block, {})[measurement.candidate] = figure_of(measurement.run)
    return [(pair[BASELINE.name], pair[tuned.result["candidate"]]) for pair in runs.values()]


def _difference(stated: Sequence[Pair], fresh: Sequence[Pair]) -> tuple[float, float]:
    """The interval of 95 % of the difference between two gains, as log ratios (Welch's t)."""
    first, second = ([math.log(figure / base) for base, figure in pairs] for pairs in (stated, fresh))
    ends = ttest_ind(first, second, equal_var=False).confidence_interval(0.95)
    return float(ends.low), float(ends.high)


def measure(_folder: Path) -> list[tuple[str, ...]]:
    """The rows of `benchmarks/run.py tune`: twelve networks, 5 minutes for each tuning."""
    return rows_of(range(1, 13), "5m")


def rows_of(seeds: Sequence[int], budget: str) -> list[tuple[str, ...]]:
    """A row for each network that can be evaluated, and the counts over all."""
    local_mpi.share_cores()
    outcomes: list[Outcome] = []
    with suppress(KeyboardInterrupt):
        for seed in seeds:
            console.print(f"network {seed}")
            try:
                outcomes.append(outcome_of(seed, budget))
            except InputError as problem:
                console.print(f"network {seed}: {problem}", markup=False)
    return [*map(line_of, outcomes), *summary(outcomes)]


def line_of(outcome: Outcome) -> tuple[str, ...]:
    """A network's row of the table."""
    stated = "" if outcome.stated is None else _interval(outcome.stated)
    marks = ("near", outcome.is_good), ("not slower", not outcome.is_slower), ("agrees", outcome.agrees)
    missed = ", ".join(f"not {name}" for name, holds in marks if not holds)
    choice, best = outcome.chosen or "as it is", f"{outcome.best} of {outcome.tried}"
    times = f"{outcome.spent_s:.0f} s"
    return (
        outcome.words,
        *(outcome.library, times, choice, stated, _interval(outcome.fresh), best, f"{outcome.behind:.1%}", missed),
    )


def _interval(gain: Sequence[float]) -> str:
    return f"{gain[0]:.1%} ({gain[1]:.1%} to {gain[2]:.1%})"


COLUMNS: Final = ("network", "library", "time", "chosen", "stated gain", "fresh gain", "best", "behind it", "missed")


def summary(outcomes: Sequence[Outcome]) -> list[tuple[str, str]]:
    """The counts over all networks."""
    count = len(outcomes)
    return [
        (f"within {ALIKE:.0%} of the best of an exhaustive trial", f"{sum(o.is_good for o in outcomes)} of {count}"),
        ("surely slower than the baseline in fresh runs", f"{sum(o.is_slower for o in outcomes)} of {count}"),
        ("stated and fresh gain agree", f"{sum(o.agrees for o in outcomes)} of {count}"),
    ]


def seeds_of(text: str) -> list[int]:
    """The seeds of a text such as 1-12 or 3,7."""
    parts = [part.split("-") for part in text.split(",")]
    return [seed for ends in parts for seed in range(int(ends[0]), int(ends[-1]) + 1)]


def main() -> None:
    """Measure the networks, or go on with them, and print the table."""
    parser = argparse.ArgumentParser(description="Compare `hopscope tune` with an exhaustive trial.")
    parser.add_argument("--seeds", default="1-12", help="seeds of the networks, such as 1-12 or 3,7")
    parser.add_argument("--budget", default="5m", help="budget of each tuning")
    parser.add_argument("--alike", type=int, default=0, help="number of tunings whose candidates repeat the baseline")
    options = parser.parse_args()
    if options.alike:
        local_mpi.share_cores()
        alone = [is_left_alone(seed, options.budget) for seed in range(1, options.alike + 1)]
        console.print(f"kept the baseline where all candidates repeat it: {sum(alone)} of {len(alone)}")
        return
    table = Table(*COLUMNS)
    for row in rows_of(seeds_of(options.seeds), options.budget):
        table.add_row(*row)
    console.print(table)


if __name__ == "__main__":
    main()
