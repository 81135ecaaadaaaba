"""Verifies the result of a tuning by later measurements. The exit code tells scripts whether the gain still holds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from hopscope.advice.tune.bench import Bench, figure_of
from hopscope.advice.tune.decision import LEAST_PAIRS, Pair, gain_of
from hopscope.advice.tune.job import discard
from hopscope.advice.tune.journal import Journal
from hopscope.advice.tune.session import paired
from hopscope.errors import InputError
from hopscope.format.quantities import interval, plural, share

_HOLDS, _LOSS, _UNDECIDED = 0, 1, 2
_FOLDER: Final = "verifying"


@dataclass(frozen=True)
class Verified:
    """The verdict on a gain, as an exit code and a sentence."""

    code: int
    sentence: str


def verify(bench: Bench, say: Callable[[str], None]) -> Verified:
    """Measure the tuned candidate against the baseline again, in as many pairs of runs as the confirmation had.

    Returns whether the gain still holds. Raises InputError where the tuning did not end, where a run fails, or where
    ranks, hosts or library have changed since the tuning.
    """
    journal = bench.journal
    if journal.result is None:
        raise InputError(f"the tuning in {journal.folder} did not end; finish it with --resume")
    name = journal.result["candidate"]
    if name is None:
        return Verified(_HOLDS, f"{journal.folder} leaves the program as it is, so there is no gain to verify.")
    _check_target(bench)
    candidate = next(candidate for candidate in journal.candidates if candidate.name == name)
    number = max(LEAST_PAIRS, journal.result["pairs"])
    first_pair = sum(
        measurement.phase == "verification" and measurement.candidate == name for measurement in journal.measurements
    )
    say(f"measuring {name} again with {plural(number, 'pair')} of runs")
    pairs = paired(bench, "verification", candidate, range(first_pair, first_pair + number))
    if len(pairs) < number:
        raise InputError(f"a run of {name} failed: {journal.measurements[-1].run.detail}")
    return verdict(journal, pairs)


def verdict(journal: Journal, pairs: list[Pair]) -> Verified:
    """Decides from new pairs of runs whether the journal's gain still holds."""
    result = journal.result
    assert result is not None
    gain = gain_of(pairs)
    name, former = result["candidate"], share(result["gain"])
    ends = f"{interval(gain.low, gain.high, 'share')}, {plural(gain.pairs, 'pair')} of runs"
    comparison = f"{share(gain.gain)} ({ends}); it was {former}"
    if gain.verdict == "gain":
        return Verified(_HOLDS, f"{name} still saves {comparison}.")
    if gain.high < result["gain_low"]:
        return Verified(_LOSS, f"{name} no longer saves what it did: {comparison}.")
    return Verified(_UNDECIDED, f"Undecided, because runs differ too much: {name} saves {comparison}.")


def _check_target(bench: Bench) -> None:
    """Run the unchanged program. Raises InputError if its ranks, hosts or library have changed since the tuning."""
    journal = bench.journal
    folder = journal.folder / _FOLDER
    try:
        figure_of(bench.trial(folder))
        target = bench.recorded(folder).target
        bench.end_runs_like(bench.recorded(folder))
    finally:
        discard(folder)
    for name, words in (("ranks", "number of ranks"), ("hosts", "hosts"), ("mpi_library", "MPI library")):
        tuned, current = journal.target[name], target[name]
        if tuned != current:
            raise InputError(f"the {words} is not what {journal.folder} was tuned for: {current} now, {tuned} then")
