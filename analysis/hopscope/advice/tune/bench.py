"""Runs candidates and the baseline in interleaved blocks, and keeps every run in the journal."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from hopscope.advice.tune.alternation import in_turns, turn_of
from hopscope.advice.tune.budget import Budget
from hopscope.advice.tune.candidate import BASELINE, TREE, Candidate, started, with_choices, written
from hopscope.advice.tune.decision import LEAST_PAIRS
from hopscope.advice.tune.ending import LEFT_OUT_SCREENING, Ending, Screening, after_collective, first_run, screening
from hopscope.advice.tune.job import NO_TURNS, TRACE, Job, Run, discard, run_job
from hopscope.advice.tune.journal import Journal, Measurement, Phase
from hopscope.advice.tune.pool import Recorded
from hopscope.errors import InputError
from hopscope.format.quantities import duration, plural

_SLOW: Final = 3.0
"""A run is ended after this multiple of the baseline's time."""
_LEAST_LONGER_S: Final = 10.0
"""A run is not ended before it takes this much longer than the baseline: a launcher's start may take seconds."""


class Bench:
    """Measures runs. Runs in the journal are not repeated, so that an interrupted tuning can be resumed."""

    def __init__(self, job: Job, journal: Journal, budget: Budget) -> None:
        """journal: a new journal, or the journal of the tuning to resume."""
        self.job, self.journal, self.budget = job, journal, budget
        self._begin = time.monotonic() - journal.spent_s
        self._ending: Ending | None = None
        self._screening: Screening | None = None
        self._turn: int | None = None
        self._chance = random.Random(journal.decided("seed", lambda: random.SystemRandom().randrange(1 << 32)))

    def record(self, name: str, candidate: Candidate) -> Run:
        """Runs a candidate, recording also the messages inside collectives. name: the folder that keeps the trace."""
        folder = self.journal.folder / name
        if (run := self.journal.recorded("recording", 0, candidate.name)) is not None:
            return run
        discard(folder)
        run = self._run(candidate, folder, self.journal.folder, native=True)
        self._keep(Measurement("recording", 0, candidate.name, run))
        return run

    def trial(self, folder: Path) -> Run:
        """Runs the unchanged program without keeping the run in the journal. folder: gets the trace."""
        discard(folder)
        return self._run(BASELINE, folder, folder.parent)

    def recorded(self, folder: Path) -> Recorded:
        """A recorded run, with its trace. folder: the folder of a run by `record` or `trial`."""
        return Recorded(self.job.open_trace(folder / TRACE), self.job.words, self.job.net is not None)

    def end_runs_like(self, recorded: Recorded) -> None:
        """Makes later runs end after the job's number of iterations, at a collective that the recorded run shows."""
        if self.job.iterations is not None:
            self._ending = after_collective(recorded.trace, self.job.iterations)

    def screen_like(self, recorded: Recorded) -> None:
        """Makes the runs that eliminate candidates end early, if their figure is the time of an iteration."""
        job, baseline = self.job, self.journal.baseline
        if job.metric is None and job.check is None and job.iterations is None and baseline["per"] == "iteration":
            self._screening = screening(recorded.trace, baseline["run_s"], baseline["iteration_ns"])

    def take_turns_like(self, recorded: Recorded) -> None:
        """Makes engine and library alternate within the runs that eliminate candidates, if these have enough
        iterations. They do not alternate if the program prints the figure, because it covers the whole run."""
        if self.job.metric is None:
            self._turn = turn_of(recorded.trace, self.job.iterations)

    def measure(self, phase: Phase, block: int, candidate: Candidate) -> Run:
        """Runs a candidate without recording messages inside collectives. Does not repeat a run of the journal."""
        journal = self.journal
        if (run := journal.recorded(phase, block, candidate.name)) is not None:
            return run
        number = len(journal.measurements)
        folder, files = (journal.folder / "runs" / f"{number}{end}" for end in ("", "-files"))
        try:
            screens = phase == "elimination"
            turn = self._turn if screens and candidate.kind == "tree" else None
            run = self._run(candidate, folder, files, turn=turn, screens=screens and turn is None)
            if run.detail == NO_TURNS:
                self._turn = None
                discard(folder)
                run = self._run(candidate, folder, files)
        finally:
            discard(folder)
            discard(files)
        self._keep(Measurement(phase, block, candidate.name, run))
        return run

    def block(self, phase: Phase, number: int, candidates: Sequence[Candidate]) -> tuple[Run, dict[str, Run]]:
        """Runs the baseline and each candidate once, in random order. Returns the baseline's run, and the candidates'
        runs by name."""
        order = [BASELINE, *candidates]
        self._chance.shuffle(order)
        runs = {candidate.name: self.measure(phase, number, candidate) for candidate in order}
        return runs.pop(BASELINE.name), runs

    def affordable(self) -> int:
        """The number of whole runs that the budget still allows."""
        return self.budget.affordable(self._spent(), len(self.journal.measurements), self.journal.baseline["run_s"])

    def affordable_screening(self, best: Candidate | None = None) -> int:
        """The number of runs that the elimination may still use; the runs of the confirmation are reserved. best: the
        candidate to confirm, if there is one already; its runs so far show how long its confirmation takes."""
        whole_s = self.journal.baseline["run_s"]
        run_s = whole_s if self._screening is None else self._screening.run_s
        walls_s = [m.run.wall_s for m in self.journal.measurements if best is not None and m.candidate == best.name]
        confirming_s = whole_s + min(whole_s, max(walls_s, default=run_s) * whole_s / run_s)
        measured = len(self.journal.measurements) + 2 * LEAST_PAIRS
        return self.budget.affordable(self._spent() + LEAST_PAIRS * confirming_s, measured, run_s)

    def left(self) -> str:
        """The rest of the budget, as text."""
        if self.budget.runs is not None:
            return plural(max(0, self.budget.runs - len(self.journal.measurements)), "run")
        return duration(max(0.0, (self.budget.seconds or 0.0) - self._spent()) * 1e9)

    def close(self) -> None:
        """Remove the runs' files, and write the journal with the time spent so far."""
        discard(self.journal.folder / "runs")
        self.journal.spent_s = self._spent()
        self.journal.write()

    def _run(
        self,
        candidate: Candidate,
        folder: Path,
        files: Path,
        *,
        native: bool = False,
        turn: int | None = None,
        screens: bool = False,
    ) -> Run:
        journal, job, ending = self.journal, self.job, self._ending
        whole = with_choices(candidate)
        if turn is not None:
            whole = replace(whole, files={**whole.files, TREE: in_turns(whole.files[TREE], turn)})
        options, variables = written(whole, files)
        if ending is None and job.iterations is not None:
            ending = first_run(job.iterations, job.open_trace)
        baseline_s = journal.baseline.get("run_s")
        if screens and self._screening is not None:
            job = replace(job, iterations=self._screening.iterations, left_out=LEFT_OUT_SCREENING)
            ending = self._screening.is_done
            baseline_s = self._screening.run_s
        limit_s = self.budget.seconds
        if baseline_s is not None:
            limit_s = max(_SLOW * baseline_s, baseline_s + _LEAST_LONGER_S)
        run = run_job(
            replace(job, words=tuple(started(job.words, options))),
            variables,
            folder,
            limit_s=limit_s,
            native=native,
            tree=files / TREE if whole.tree else None,
            is_done=ending,
            turns=turn is not None,
        )
        return replace(run, detail="3 times slower, or hung") if run.outcome == "slow" and baseline_s else run

    def _keep(self, measurement: Measurement) -> None:
        self.journal.spent_s = self._spent()
        self.journal.add(measurement)

    def _spent(self) -> float:
        return time.monotonic() - self._begin


def figure_of(run: Run) -> float:
    """The figure of a run of the baseline. Raises InputError where it was not measured."""
    if run.figure is None:
        raise InputError(f"the baseline cannot be measured: {run.detail}")
    return run.figure
