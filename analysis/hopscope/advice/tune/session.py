"""The whole tuning of a program: baseline, elimination and confirmation."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from hopscope.advice.tune.bench import Bench, figure_of
from hopscope.advice.tune.budget import BASELINE_RUNS
from hopscope.advice.tune.candidate import BASELINE, Candidate
from hopscope.advice.tune.decision import LEAST_PAIRS, Gain, Pair, deviation_of, gain_of, planned_pairs
from hopscope.advice.tune.elimination import eliminate
from hopscope.advice.tune.job import OUTPUT
from hopscope.advice.tune.journal import Phase
from hopscope.advice.tune.pool import Recorded, candidates_for
from hopscope.errors import InputError
from hopscope.format.quantities import duration, plural, share

RECORDED: Final = "recorded-baseline"
RESULT: Final = "recorded-result"
"""Folders of the runs whose messages were recorded."""
_LEAST_COMMUNICATION: Final = 0.02
_COMMUNICATION: Final = ("local", "shm", "lan", "wan", "native", "p2p", "mpi", "rma")
"""Categories of the critical path that a knob can change."""

Say = Callable[[str], None]


def tune(bench: Bench, say: Say) -> None:
    """Measures candidates against the baseline, and puts the result into the journal. say: prints a line about the
    progress.

    Raises InputError where the baseline cannot be measured, or where the budget is too short.
    """
    recorded = _recorded(bench, say)
    times = _baseline(bench, say)
    bench.screen_like(recorded)
    journal = bench.journal
    communication = journal.baseline["communication_share"]
    if communication < _LEAST_COMMUNICATION and not recorded.is_oversubscribed:
        _leave(bench, f"communication that a setting can change is {share(communication)} of the critical path")
        return
    candidates = journal.with_candidates(lambda: _candidates(bench, recorded, say))
    if not candidates:
        _leave(bench, "this MPI library and launcher offer nothing else for this run")
        return
    choose(bench, candidates, times, say)
    if (result := journal.result) and result["candidate"]:
        bench.record(RESULT, next(entry for entry in journal.candidates if entry.name == result["candidate"]))


def choose(bench: Bench, candidates: Sequence[Candidate], times: Sequence[float], say: Say) -> None:
    """Eliminate candidates, confirm the best one, and put the result into the journal. times: at least two figures, of
    the baseline's first runs. Raises InputError where the budget is too short or a run of the baseline fails."""
    best = eliminate(bench, candidates, say)
    if best is None:
        _leave(bench, f"none of {plural(len(candidates), 'candidate')} was faster than the baseline")
        return
    candidate, estimate = best
    number = bench.journal.decided(
        "pairs", lambda: planned_pairs(estimate, deviation_of(times), max(LEAST_PAIRS, bench.affordable() // 2))
    )
    say(f"confirming {candidate.name} with {plural(number, 'pair')} of runs, {bench.left()} left")
    pairs = paired(bench, "confirmation", candidate, range(number))
    if len(pairs) < number:
        _leave(bench, f"{candidate.name} did not finish its confirming runs")
        return
    _confirm(bench, candidate, gain_of(pairs), pairs)


def paired(bench: Bench, phase: Phase, candidate: Candidate, numbers: Sequence[int]) -> list[Pair]:
    """Measures pairs of runs. numbers: the blocks, one pair in each. Stops where a run of the candidate fails. Raises
    InputError where a run of the baseline fails."""
    pairs: list[Pair] = []
    for number in numbers:
        baseline, runs = bench.block(phase, number, [candidate])
        figure = runs[candidate.name].figure
        if figure is None:
            break
        pairs.append((figure_of(baseline), figure))
    return pairs


def _recorded(bench: Bench, say: Say) -> Recorded:
    """Runs the baseline and records all its messages. This run explains the baseline and predicts the candidates."""
    journal = bench.journal
    if journal.recorded("recording", 0, BASELINE.name) is None:
        say("recording the baseline with the messages inside its collectives")
    run = bench.record(RECORDED, BASELINE)
    if run.figure is None:
        output = journal.folder / RECORDED / OUTPUT
        raise InputError(f"the baseline cannot be measured: {run.detail}. Its output is in {output}")
    recorded = bench.recorded(journal.folder / RECORDED)
    bench.end_runs_like(recorded)
    bench.take_turns_like(recorded)
    if not journal.baseline:
        journal.target = recorded.target
        rows = {row["category"]: row["share"] or 0.0 for row in recorded.trace.critical_path().to_pylist()}
        journal.baseline = {
            "per": run.per,
            "communication_share": sum(rows.get(name, 0.0) for name in _COMMUNICATION),
            "diagnosis": str(recorded.diagnosis[0]["sentence"]),
        }
    say(journal.baseline["diagnosis"])
    return recorded


def _baseline(bench: Bench, say: Say) -> list[float]:
    """Measures the baseline's first runs and returns their figures. Their median and variability go into the
    journal."""
    runs = [bench.measure("baseline", number, BASELINE) for number in range(BASELINE_RUNS)]
    times = [figure_of(run) for run in runs]
    if len({run.per for run in runs}) > 1:
        raise InputError(
            "the baseline cannot be judged: some of its runs have iterations and some do not; give --metric REGEX"
        )
    baseline = bench.journal.baseline
    noise = statistics.stdev(times) / statistics.fmean(times)
    baseline |= {"per": runs[0].per, "iteration_ns": statistics.median(times), "noise": noise}
    baseline["run_s"] = max(run.wall_s for run in runs)
    figure = "" if runs[0].per == "metric" else f"{duration(baseline['iteration_ns'])} per {runs[0].per}, "
    say(f"baseline: {figure}runs differ by {share(noise)}")
    return times


def _candidates(bench: Bench, recorded: Recorded, say: Say) -> list[Candidate]:
    machine = bench.journal.request["machine"]
    candidates, notes = candidates_for(
        recorded, None if machine is None else Path(machine), engine=bench.journal.request["engine"]
    )
    for note in notes:
        say(f"note: {note}")
    return candidates


def _confirm(bench: Bench, candidate: Candidate, gain: Gain, pairs: Sequence[Pair]) -> None:
    """Put the result of the confirming runs into the journal."""
    bench.journal.baseline["iteration_ns"] = statistics.median(base for base, _ in pairs)
    measured = {"gain": gain.gain, "gain_low": gain.low, "gain_high": gain.high, "pairs": gain.pairs}
    winner: dict[str, Any] = {}
    if gain.verdict == "gain":
        winner = {"candidate": candidate.name, "iteration_ns": statistics.median(time for _, time in pairs)}
    _conclude(bench, confirmed=candidate.name, **measured, **winner)


def _leave(bench: Bench, reason: str) -> None:
    """Put into the journal that the program stays as it is, with the reason."""
    _conclude(bench, reason=reason)


def _conclude(bench: Bench, **facts: Any) -> None:
    """Put the result into the journal, and close the tuning. facts: values of the result. By default, the result says
    that the program stays as it is."""
    empty = dict.fromkeys(("candidate", "confirmed", "gain", "gain_low", "gain_high", "reason"))
    unchanged = {"iteration_ns": bench.journal.baseline["iteration_ns"], "pairs": 0}
    bench.journal.result = {**empty, **unchanged, **facts}
    bench.close()
